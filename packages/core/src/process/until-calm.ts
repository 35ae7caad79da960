/** While turns of the event loop take longer, the next item begins a little later, so that others get an answer in between. */
const CALM_TURN_MS = 30;
const CALM_WAIT_MS = 150;

/**
 * Resolves in one of the next turns of the event loop: as soon as a turn was short, and in any case after `CALM_WAIT_MS`. Items that are
 * begun at once run in step, and every other request waits for all of them.
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
