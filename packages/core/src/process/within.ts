import type { CancellationToken } from '../kernel/cancellation.js';
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

/**
 * `over` resolves `ms` after an immediate request to stop: what has not stopped by then is not waited for. Without a request it never
 * does. Call `cancel` when there is nothing left to wait for.
 */
export function graceAfter(
  token: CancellationToken,
  ms: number,
  clock: Clock,
): { over: Promise<void>; cancel: () => void } {
  let cancel = () => {};
  const over = new Promise<void>((resolve) => {
    const arm = () => {
      cancel();
      cancel = clock.after(ms, resolve);
    };
    if (token.isImmediate) arm();
    else cancel = token.onRequest((level) => level === 'immediate' && arm());
  });
  return { over, cancel: () => cancel() };
}
