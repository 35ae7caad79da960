/** So long a tab may be out of sight before it gives its stream back: a browser has six connections for all tabs together. */
const OUT_OF_SIGHT = 3_000;

export const isInSight = (): boolean => document.visibilityState !== 'hidden';

/** Resolves when the tab is seen, or when nobody waits any more. */
export function untilInSight(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (!isInSight() && !signal.aborted) return;
      document.removeEventListener('visibilitychange', look);
      signal.removeEventListener('abort', look);
      resolve();
    };
    document.addEventListener('visibilitychange', look);
    signal.addEventListener('abort', look);
    look();
  });
}

/** Calls `act` once the tab has been out of sight for a while. */
export function whenOutOfSight(act: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = (): void => {
    clearTimeout(timer);
    if (!isInSight()) timer = setTimeout(act, OUT_OF_SIGHT);
  };
  document.addEventListener('visibilitychange', look);
  look();
  return () => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', look);
  };
}
