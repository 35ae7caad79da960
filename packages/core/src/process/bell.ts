/** Wakes one waiter. A ring that nobody waits for is kept for the next wait. */
export class Bell {
  #rung = false;
  #wake: (() => void) | undefined;

  ring(): void {
    this.#rung = true;
    this.#wake?.();
  }

  /** True when it rang, false when `signal` aborted first. */
  async wait(signal?: AbortSignal): Promise<boolean> {
    if (signal?.aborted) return false;
    if (!this.#rung) {
      const onAbort = () => this.#wake?.();
      signal?.addEventListener('abort', onAbort, { once: true });
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
      signal?.removeEventListener('abort', onAbort);
    }
    const rang = this.#rung;
    this.#rung = false;
    return rang && !signal?.aborted;
  }
}
