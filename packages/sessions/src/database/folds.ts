import type { Fold, Work } from './database.js';

/** The folds of a transaction that have not run yet. */
export class Folds {
  readonly #left = new Map<object, Fold['work']>();

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
