import { CALM_TURN_MS, CALM_WAIT_MS } from '../defaults.js';

/**
 * Waits while turns of the event loop are long, but not for long. Much that begins at once goes on in step, and whoever asks for
 * anything else waits for all of it.
 */
export async function untilCalm(): Promise<void> {
  const until = performance.now() + CALM_WAIT_MS;
  await nextTurn();
  for (let began = performance.now(); ; ) {
    await nextTurn();
    const now = performance.now();
    if (now - began < CALM_TURN_MS || now > until) return;
    began = now;
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
