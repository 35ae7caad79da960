import { BUSY_PATIENCE_MS, BUSY_RETRY_MS } from '../defaults.js';
import { isBusy } from './sqlite-error.js';

/** Tries again while another process is in the way, without holding up this one. */
export async function patiently<T>(work: () => T): Promise<T> {
  for (const started = Date.now(); ; ) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || Date.now() - started > BUSY_PATIENCE_MS) throw error;
      await pause(BUSY_RETRY_MS);
    }
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
