/** The only source of time in the system, so that a test can own it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls `callback` once after `ms`. The returned function cancels it; calling that twice is harmless. */
  after(ms: number, callback: () => void): () => void;
}

/** A source of numbers in [0, 1). */
export type Random = () => number;

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

/** Does not keep a process alive that has nothing else to do. */
export const quietClock: Clock = {
  now: () => Date.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms).unref();
    return () => clearTimeout(timer);
  },
};

/** Waits `ms`. Rejects with the signal's reason as soon as `signal` aborts. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** The clock's time as UTC ISO 8601, the form every stored timestamp has. */
export function isoTime(clock: Clock): string {
  const now = clock.now();
  if (now !== written.now) written = { now, text: new Date(now).toISOString() };
  return written.text;
}

/** The time that was written out last: within a millisecond many ask for the same. */
let written = { now: Number.NaN, text: '' };
