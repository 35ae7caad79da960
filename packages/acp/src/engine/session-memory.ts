import type { Clock } from '@amplifier/core';
import type { Turn } from '@amplifier/delegation';
import { REMEMBER_MS } from '../defaults.js';
import { type KeptSession, keptSession } from './kept-session.js';
import type { TurnMirror } from './turn-mirror.js';

/**
 * Notes in our session's log which session of the agent it is, so that a later turn, or this one after a crash, continues with it.
 * Without the note the conversation would be told again.
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
