import { type Clock, isPlainObject, textOf } from '@amplifier/core';
import type { Turn } from '@amplifier/delegation';
import type { SessionStore } from '@amplifier/sessions';
import { REMEMBER_MS, RETOLD_MESSAGES } from '../defaults.js';
import type { TurnMirror } from './turn-mirror.js';

/** The agent's own session, as the log of ours remembers it. */
export interface KeptSession {
  id: string;
  agent: string;
  cwd: string;
  /** Can a later turn continue with it? */
  keeps: boolean;
  /** What it had cost in US dollars, where the agent says. */
  cost: number | null;
}

/** The agent's own session of an earlier turn of this session. */
export function keptSession({ log }: Pick<Turn, 'log'>): KeptSession | null {
  const kept = log.metadata.extra.acp_session;
  if (!isPlainObject(kept) || typeof kept.id !== 'string' || typeof kept.agent !== 'string') return null;
  const cost = typeof kept.cost === 'number' ? kept.cost : null;
  return { id: kept.id, agent: kept.agent, cwd: String(kept.cwd), keeps: kept.keeps !== false, cost };
}

/**
 * Notes in our session's log which session of the agent it is, so that a later turn, or this one after a crash, continues with it.
 * Without the note the agent would get the conversation again.
 */
export class SessionMemory {
  readonly #turn: Turn;
  readonly #mirror: TurnMirror;
  readonly #clock: Clock;
  #session: KeptSession | null = null;
  #cancel: () => void = () => {};

  constructor(turn: Turn, mirror: TurnMirror, clock: Clock) {
    this.#turn = turn;
    this.#mirror = mirror;
    this.#clock = clock;
  }

  /** Soon, or when the turn settles. */
  remember(session: Omit<KeptSession, 'cost'>): void {
    this.#cancel();
    const before = keptSession(this.#turn);
    this.#session = { ...session, cost: before?.id === session.id ? before.cost : null };
    this.#cancel = this.#clock.after(REMEMBER_MS, () => this.#write());
  }

  /** The turn is over; `cost` is what the agent's session has cost, where it says. */
  settle(cost: number | null): void {
    this.#cancel();
    if (this.#session && cost !== null) this.#session = { ...this.#session, cost };
    this.#write();
  }

  #write(): void {
    const acp_session = this.#session;
    if (acp_session === null || isSame(acp_session, keptSession(this.#turn))) return;
    this.#mirror.keep(this.#turn.log.update({ extra: { acp_session } }));
  }
}

function isSame(a: KeptSession, b: KeptSession | null): boolean {
  return b !== null && JSON.stringify(a) === JSON.stringify(b);
}

/** The conversation so far in words. The last line is the prompt of the coming turn and is left out. */
export async function retell(store: SessionStore, session_id: string): Promise<string> {
  const lines = (await store.tail(session_id, RETOLD_MESSAGES + 1)).slice(0, -1);
  const said = lines
    .filter(({ role }) => role === 'user' || role === 'assistant')
    .map(({ role, content }) => ({ role, text: textOf(content).trim() }))
    .filter(({ text }) => text !== '');
  if (said.length === 0) return '';
  const told = said.map(({ role, text }) => `${role === 'user' ? 'User' : 'You'}: ${text}`).join('\n\n');
  return `This is our conversation so far:\n\n${told}`;
}
