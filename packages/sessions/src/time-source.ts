import type { Clock } from '@amplifier/core';

/** ISO times, written out once per millisecond: many records share one. */
export function timeSource(clock: Clock): () => string {
  let last = Number.NaN;
  let text = '';
  return () => {
    const now = clock.now();
    if (now !== last) text = new Date(now).toISOString();
    last = now;
    return text;
  };
}
