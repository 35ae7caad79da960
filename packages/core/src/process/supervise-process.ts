import { SHARE_ENV, Worker } from 'node:worker_threads';

/** How often the supervising thread looks. */
const TICK_MS = 500;

/**
 * Without a sign of life for so long the process is ended, asked or not: no thread can see that a signal waits for a loop that stands
 * still, and SIGTERM has to work within ten seconds in every state. What was under way is taken up again as after any crash.
 */
const FROZEN_MS = 9_000;

/** A tick of which it waited for its turn for more than this share does not count. Beside two busy programs it is a third. */
const STARVED = 0.8;

/** How long stopping may take in all, whatever hangs. */
const STOP_LIMIT_MS = 9_500;

const SUPERVISOR: unique symbol = Symbol.for('amplifier.supervisor');

/**
 * A thread that ends the process when it cannot end itself: when stopping takes longer than it may, or when nothing has moved for so
 * long that not even a signal can be heard. It counts its own ticks, so a machine that slept is no freeze, and none in which the
 * machine gave the process next to no processor: on one that has too much to do, whoever waits for its turn is not frozen.
 */
const THREAD = `
const { workerData: { state, name, tick, frozen, limit } } = require('node:worker_threads');
const { readFileSync, writeSync } = require('node:fs');
const shared = new Int32Array(state);
// Milliseconds that the first thread was ready to run and did not get to; nothing where the system does not say.
const kept = () => { try { return readFileSync('/proc/self/schedstat', 'latin1').split(' ')[1] / 1e6; } catch { return 0; } };
let seen = -1, still = 0, stopping = 0, waited = kept();
setInterval(() => {
  const beat = Atomics.load(shared, 0), now = kept(), starved = now - waited > tick * ${STARVED};
  waited = now;
  still = beat !== seen || Atomics.load(shared, 2) > 0 ? 0 : starved ? still : still + 1;
  seen = beat;
  if (Atomics.load(shared, 1) === 1) stopping += tick;
  if (still >= frozen || stopping >= limit) {
    const why = still >= frozen
      ? ': nothing has moved for ' + still * tick / 1000 + ' s; the process is ended.\\n'
      : ': stopping took longer than ' + limit / 1000 + ' s; the process is ended.\\n';
    try { writeSync(2, name + why); } catch {}
    process.kill(process.pid, 'SIGKILL');
  }
}, tick);
`;

/** Kept by the process, because the program is bundled into parts that share no module. */
const kept = globalThis as { [SUPERVISOR]?: Supervisor };

/** The supervisor of this process, from the first call on. `graceMs`: what the program itself allows for stopping. */
export function superviseProcess(name = 'amplifier', graceMs = 0): Supervisor {
  kept[SUPERVISOR] ??= new Supervisor(name, graceMs);
  return kept[SUPERVISOR];
}

/** Does what holds up everything else on purpose, such as a person who writes in an editor of their own. */
export function standStillFor<Result>(work: () => Result): Result {
  const supervisor = kept[SUPERVISOR];
  return supervisor ? supervisor.standStillFor(work) : work();
}

class Supervisor {
  readonly #state = new SharedArrayBuffer(12);
  readonly #shared = new Int32Array(this.#state);

  constructor(name: string, graceMs: number) {
    setInterval(() => Atomics.add(this.#shared, 0, 1), TICK_MS / 4).unref();
    const thread = new Worker(THREAD, {
      eval: true,
      execArgv: [],
      env: SHARE_ENV,
      workerData: {
        state: this.#state,
        name,
        tick: TICK_MS,
        frozen: FROZEN_MS / TICK_MS,
        limit: Math.max(STOP_LIMIT_MS, graceMs + STOP_LIMIT_MS / 2),
      },
    });
    thread.unref();
  }

  /** From now on the process has so long to end. */
  stopping(): void {
    Atomics.store(this.#shared, 1, 1);
  }

  standStillFor<Result>(work: () => Result): Result {
    Atomics.add(this.#shared, 2, 1);
    try {
      return work();
    } finally {
      Atomics.sub(this.#shared, 2, 1);
    }
  }
}
