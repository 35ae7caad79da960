import type { CancellationToken, Clock } from '@amplifier/core';
import { GRACE_MS } from '../defaults.js';

/** Resolves a while after the turn was told to stop at once: whoever does not stop by then is not waited for. */
export function abandonment(
  token: CancellationToken,
  clock: Clock,
): { promise: Promise<null>; cancel: () => void } {
  let cancelTimer = () => {};
  let unlisten = () => {};
  const promise = new Promise<null>((resolve) => {
    const arm = () => {
      cancelTimer = clock.after(GRACE_MS, () => resolve(null));
    };
    if (token.isImmediate) arm();
    else unlisten = token.onRequest((level) => level === 'immediate' && arm());
  });
  return {
    promise,
    cancel: () => {
      cancelTimer();
      unlisten();
    },
  };
}
