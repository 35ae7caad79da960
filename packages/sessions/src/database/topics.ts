/** Who wants to hear about what. */
export class Topics {
  readonly #listeners = new Map<string, Set<() => void>>();

  get isEmpty(): boolean {
    return this.#listeners.size === 0;
  }

  add(topic: string, onNews: () => void): void {
    const listeners = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, listeners.add(onNews));
  }

  remove(topic: string, onNews: () => void): void {
    const listeners = this.#listeners.get(topic);
    listeners?.delete(onNews);
    if (listeners?.size === 0) this.#listeners.delete(topic);
  }

  tell(topics: Iterable<string>): void {
    if (this.isEmpty) return;
    for (const topic of topics) for (const listener of this.#listeners.get(topic) ?? []) listener();
  }

  tellAll(): void {
    for (const listeners of [...this.#listeners.values()]) for (const listener of [...listeners]) listener();
  }
}
