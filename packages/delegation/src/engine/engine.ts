import type { Outcome } from '../request/outcome.js';
import type { Turn } from '../turn/turn.js';

/**
 * Runs one turn of a session from its launch record. Must append every message before it acts on it. Must not throw for
 * anything the agent, the model or the network did: such failures are outcomes. May throw only on misuse. Must resolve
 * soon after the turn was asked to stop at once, and leave nothing running.
 */
export interface Engine {
  run(turn: Turn): Promise<Outcome>;
}
