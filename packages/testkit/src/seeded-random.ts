import type { Random } from '@amplifier/core';

/** The same numbers for the same seed (mulberry32). */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

/** Hex ids that are the same in every run with the same seed. */
export function seededIds(seed: number, length = 16): () => string {
  const random = seededRandom(seed);
  return () => Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join('');
}
