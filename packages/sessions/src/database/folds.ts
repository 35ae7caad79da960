import type { Fold, Work } from './database.js';

/**
 * What was refused, by what it was about. Whatever was to follow it would leave a gap, so it is refused, too, however late
 * it comes.
 */
export class Refusals {
  readonly #told = new WeakMap<object, unknown>();

  add(fold: Fold | undefined, error: unknown): void {
    if (fold && !this.#told.has(fold.of)) this.#told.set(fold.of, error);
  }

  /** Throws what a write about the same thing was refused with. */
  check(fold: Fold | undefined): void {
    if (fold && this.#told.has(fold.of)) throw this.#told.get(fold.of);
  }
}

/** The folds of a transaction that have not run yet. */
export class Folds {
  readonly #left = new Map<object, Fold['work']>();
  /** What is refused if the transaction comes about. */
  readonly refusals = new Refusals();

  add({ of, work }: Fold): void {
    this.#left.set(of, work);
  }

  *take(of: object): Work<void> {
    const work = this.#left.get(of);
    this.#left.delete(of);
    if (work) yield* work();
  }

  *takeAll(): Work<void> {
    for (const of of this.#left.keys()) yield* this.take(of);
  }
}
