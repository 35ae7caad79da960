/**
 * Calls many back a moment later with one timer for all of them: most are called off before, and a timer for each would cost more
 * than what it is for (`npm run bench -- delegation`). Pacing, not time that anybody measures: it passes in a test that stops the
 * clock, too.
 */
export class Later<Item> {
  readonly #ms: number;
  readonly #call: (item: Item) => void;
  /** Waits for the next tick, and for the one after it: so nobody is called too early. */
  #due = new Set<Item>();
  #fresh = new Set<Item>();
  #timer: NodeJS.Timeout | undefined;

  /** Each is called between `ms` and twice as long after it was added. Must not throw. */
  constructor(ms: number, call: (item: Item) => void) {
    this.#ms = ms;
    this.#call = call;
  }

  add(item: Item): void {
    this.#fresh.add(item);
    if (this.#timer) this.#timer.ref();
    else this.#timer = setTimeout(() => this.#tick(), this.#ms);
  }

  /** A timer that nobody waits for keeps no process alive. */
  delete(item: Item): void {
    this.#fresh.delete(item);
    this.#due.delete(item);
    if (this.#fresh.size + this.#due.size === 0) this.#timer?.unref();
  }

  #tick(): void {
    const due = this.#due;
    this.#due = this.#fresh;
    this.#fresh = due;
    const items = [...due];
    due.clear();
    this.#timer = this.#due.size > 0 ? setTimeout(() => this.#tick(), this.#ms) : undefined;
    for (const item of items) this.#call(item);
  }
}
