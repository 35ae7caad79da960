import { cloneJson, isSameJson } from '@amplifier/core';

/** More than the different launches that a process is at work with at a time. */
const MOST = 64;

/** Keeps what was made last, with a copy of what each was made of. */
export class MadeBefore<Made> {
  readonly #made: { source: unknown; made: Made }[] = [];

  /** What was made of the same before; otherwise makes it. Put into `source` first what differs most. */
  get(source: readonly unknown[], make: () => Made): Made {
    const at = this.#made.findIndex((each) => isSameJson(each.source, source));
    const [known = { source: cloneJson(source), made: make() }] = at < 0 ? [] : this.#made.splice(at, 1);
    this.#made.unshift(known);
    this.#made.length = Math.min(this.#made.length, MOST);
    return known.made;
  }
}
