import type { JsonObject, MountPlan, Usage } from '@amplifier/core';
import type { ModelCatalog } from '@amplifier/foundation';
import type { SessionLog } from '@amplifier/sessions';
import type { Isolation } from '@amplifier/workspace';
import type { LaunchRecord } from '../launch-record.js';
import type { Budget } from '../limits/budget.js';
import type { Slot } from '../limits/slots.js';
import type { Tree } from '../limits/tree.js';
import type { Outcome } from '../outcome.js';
import type { LeftQuestion } from './questions.js';
import type { StopSwitch } from './stop-switch.js';

/** One turn of a session. */
export interface Turn {
  /** 1 for the launch, one more for each time the session is given another instruction. */
  number: number;
  /** Already in the log. */
  prompt: string;
  /** What the turn had consumed before, when another process began it. */
  carried: Usage;
  /** Questions a dead process of this turn was waiting on. */
  questions: readonly LeftQuestion[];
  /** What the parent should know beside the answer; goes into the outcome. */
  warnings: readonly string[];
  /** The right to write the session. Whoever runs the turn opened it and closes it. */
  log: SessionLog;
  tree: Tree;
  budget: Budget;
  slot: Slot | null;
  /** Whoever watches from above: the parent's observers, or the door for a root. */
  onEvent: ((name: string, data: Readonly<JsonObject>) => void) | null;
  /** Does anybody look, all the way up? Asked before an event is made up for them. */
  isWatched: () => boolean;
  /** The plan with its secrets; the record holds it without. */
  plan: MountPlan;
  /** The plan has been validated. */
  isValidPlan: boolean;
  /** What whoever launched it knows of the models of its providers, so that it need not ask again. */
  models: ModelCatalog | null;
  /** The tree of its own that the turn works in, where it has one. */
  isolation?: Isolation;
}

/**
 * Runs one turn of a session from its launch record. Must append every message before it acts on it. Must not throw for
 * anything the agent, the model or the network did: such failures are outcomes. May throw only on misuse. Must resolve
 * soon after `stop` was asked to stop at once, and leave nothing running.
 */
export interface Engine {
  run(launch: LaunchRecord, turn: Turn, stop: StopSwitch): Promise<Outcome>;
}
