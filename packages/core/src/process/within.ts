import type { Clock } from './clock.js';

/** Waits for the promise, but not longer. What comes later is nobody's; it is not an unhandled rejection. */
export function within<T>(
  promise: Promise<T>,
  ms: number,
  clock: Clock,
): Promise<{ done: true; value: T } | { done: false }> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => resolve({ done: false }));
    promise.then(
      (value) => {
        cancel();
        resolve({ done: true, value });
      },
      (error) => {
        cancel();
        reject(error);
      },
    );
  });
}
