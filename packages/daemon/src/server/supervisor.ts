import { Worker } from 'node:worker_threads';
import { FROZEN_MS, STOP_LIMIT_MS, SUPERVISOR_TICK_MS } from '../defaults.js';

/**
 * A thread that ends the process when it cannot end itself: when stopping takes longer than it may, or when nothing has moved for so
 * long that not even a signal can be heard. It counts its own ticks, so a machine that slept is no freeze.
 */
const THREAD = `
const { workerData: { state, tick, frozen, limit } } = require('node:worker_threads');
const shared = new Int32Array(state);
let seen = -1, still = 0, stopping = 0;
setInterval(() => {
  const beat = Atomics.load(shared, 0);
  still = beat === seen ? still + 1 : 0;
  seen = beat;
  if (Atomics.load(shared, 1) === 1) stopping += tick;
  if (still >= frozen || stopping >= limit) {
    require('node:fs').writeSync(2, still >= frozen
      ? 'amplifierd: nothing has moved for ' + still * tick / 1000 + ' s; the process is ended.\\n'
      : 'amplifierd: stopping took longer than ' + limit / 1000 + ' s; the process is ended.\\n');
    process.kill(process.pid, 'SIGKILL');
  }
}, tick);
`;

export class Supervisor {
  readonly #state = new SharedArrayBuffer(8);
  readonly #shared = new Int32Array(this.#state);

  /** `graceMs`: what the daemon itself allows for stopping. */
  constructor(graceMs: number) {
    setInterval(() => Atomics.add(this.#shared, 0, 1), SUPERVISOR_TICK_MS / 4).unref();
    const thread = new Worker(THREAD, {
      eval: true,
      workerData: {
        state: this.#state,
        tick: SUPERVISOR_TICK_MS,
        frozen: FROZEN_MS / SUPERVISOR_TICK_MS,
        limit: Math.max(STOP_LIMIT_MS, graceMs + STOP_LIMIT_MS / 2),
      },
    });
    thread.unref();
  }

  /** From now on the process has so long to end. */
  stopping(): void {
    Atomics.store(this.#shared, 1, 1);
  }
}
