/**
 * Calls many items back after a delay with one timer. Most are removed before, and a timer for each would cost more than the work
 * (`npm run bench -- delegation`). It paces work and measures no time: it also runs in a test that stops the clock.
 */
export class SharedTimer<Item> {
  readonly #ms: number;
  readonly #call: (item: Item) => void;
  /** Called at the next tick; `#fresh` at the one after it, so that no item is called too early. */
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

  /** An empty timer does not keep the process alive. */
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
