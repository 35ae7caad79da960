import { signal } from '@preact/signals';

/** When the daemon could not be reached first, until it is again. Null: connected, or nothing to follow yet. */
export const lostSince = signal<number | null>(null);

const down = new Set<object>();

/** Whatever asks the daemon says how it stands; the page is connected when nothing is down. */
export function connectionIs(of: object, state: 'up' | 'down'): void {
  if (state === 'down') down.add(of);
  else down.delete(of);
  if (down.size === 0) lostSince.value = null;
  else lostSince.value ??= Date.now();
}

const FIRST_WAIT = 250;
const LONGEST_WAIT = 5_000;

/** Waits before the next try, longer each time; shorter when the person looks again or the network returns. */
export class Patience {
  #wait = FIRST_WAIT;

  reset(): void {
    this.#wait = FIRST_WAIT;
  }

  async wait(signal?: AbortSignal | null): Promise<void> {
    await pause(this.#wait, signal);
    this.#wait = Math.min(this.#wait * 2, LONGEST_WAIT);
  }
}

function pause(ms: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      window.removeEventListener('online', done);
      document.removeEventListener('visibilitychange', done);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
    window.addEventListener('online', done);
    document.addEventListener('visibilitychange', done);
  });
}
