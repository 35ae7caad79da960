import { ACCEPTING_TURNS, REQUEST_TURN_MS } from '../defaults.js';

/**
 * Spreads requests that arrive together over turns of the event loop. A turn accepts one connection, so a hundred connections take a hundred
 * turns: while they arrive, no request is begun, which would make every turn long. Then each turn begins one of those that wait.
 */
export class RequestPace {
  readonly #waiting: (() => void)[] = [];
  /** Whether this turn accepted a connection. */
  #accepted = false;
  /** For how many turns connections have been arriving; 0 while none do. */
  #accepting = 0;
  /** When the first request of this turn began; null if there was none. */
  #turnBegan: number | null = null;
  #isScheduled = false;

  /** Must be called for each connection that is accepted. */
  accepted(): void {
    this.#accepted = true;
    this.#accepting ||= 1;
    this.#schedule();
  }

  /** Calls `begin` now or in one of the next turns, in the order of the calls. */
  next(begin: () => void): void {
    const now = performance.now();
    const isLong = this.#turnBegan !== null && now - this.#turnBegan > REQUEST_TURN_MS;
    this.#turnBegan ??= now;
    this.#schedule();
    if (this.#waiting.length > 0 || this.#accepting > 0 || isLong) this.#waiting.push(begin);
    else begin();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#endTurn());
  }

  #endTurn(): void {
    this.#isScheduled = false;
    this.#turnBegan = null;
    const isOver = !this.#accepted || this.#accepting >= ACCEPTING_TURNS;
    this.#accepting = isOver ? 0 : this.#accepting + 1;
    this.#accepted = false;
    if (isOver) this.#waiting.shift()?.();
    if (!isOver || this.#waiting.length > 0) this.#schedule();
  }
}
