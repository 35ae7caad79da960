/** Items that come one by one from elsewhere, for a loop to serve. */
export class WaitingLine<Item> {
  readonly #waiting: Item[] = [];
  #wake = () => {};

  get length(): number {
    return this.#waiting.length;
  }

  push(item: Item): void {
    this.#waiting.push(item);
    this.#wake();
  }

  /** Removes and returns the items that wait. */
  clear(): Item[] {
    return this.#waiting.splice(0);
  }

  /** Until the signal aborts. One reader at a time. */
  async *items(signal: AbortSignal): AsyncGenerator<Item> {
    const wake = () => this.#wake();
    signal.addEventListener('abort', wake, { once: true });
    try {
      while (!signal.aborted) {
        if (this.#waiting.length > 0) yield this.#waiting.shift() as Item;
        else
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
      }
    } finally {
      signal.removeEventListener('abort', wake);
    }
  }
}
