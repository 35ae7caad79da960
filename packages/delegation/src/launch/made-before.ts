import { cloneJson, isSameJson } from '@amplifier/core';

/** Kept for each owner. More than the different children that a parent has at a time. */
const MOST_PER_OWNER = 64;

/** Keeps what was made, with a copy of what it was made of, and for as long as its owner lives. */
export class MadeBefore<Made> {
  readonly #made = new WeakMap<object, { source: unknown; made: Made }[]>();

  /** What was made of the same before; otherwise makes it. Put into `source` first what differs most. */
  get(owner: object, source: readonly unknown[], make: () => Made): Made {
    const siblings = this.#made.get(owner) ?? [];
    const known = siblings.find((each) => isSameJson(each.source, source));
    if (known) return known.made;
    const fresh = { source: cloneJson(source), made: make() };
    this.#made.set(owner, [...siblings.slice(1 - MOST_PER_OWNER), fresh]);
    return fresh.made;
  }
}
