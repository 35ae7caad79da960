import type { Report } from '../kernel/diagnostics.js';
import { errorInfo } from '../kernel/errors/amplifier-error.js';
import { type Clock, isoTime, sleep } from './clock.js';

/** How a loop is. `retrying`: what it gets its items from fails, and is tried again. */
export interface LoopHealth {
  name: string;
  state: 'waiting' | 'serving' | 'retrying' | 'stopped';
  /** Items that could not be served, since the process was started. */
  set_aside: number;
  /** How often in a row the source of the items has failed. */
  failures: number;
  last_error: { time: string; code: string | null; message: string; item: string | null } | null;
}

export interface LoopOptions<Item> {
  name: string;
  clock: Clock;
  /** Told of every item that is set aside and every failure of the source. */
  report: Report;
  /** The items as they come, until the signal aborts. What it throws, or an early end, opens it again after a pause. */
  items(signal: AbortSignal): AsyncIterable<Item>;
  /** Serves one. What it throws sets the item aside; it may throw anything. */
  serve(item: Item, signal: AbortSignal): Promise<void> | void;
  /** What an item is called where it is told of. */
  nameOf(item: Item): string;
  /** Puts an item that could not be served where it does no harm. What this throws is told, too. */
  setAside?(item: Item, error: unknown): Promise<void>;
  /** How many are served at once; they begin in different turns of the event loop. Default: one after the other. */
  limit?: number;
  /** Pauses after one failure of the source, two, and so on; the last one for all that follow. */
  pauses?: readonly number[];
}

/** The first pause after a failure; it doubles up to the longest. */
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 30_000;
/** A source that was opened again and has not failed for so long is well again, whether items came or not. */
const RECOVERED_MS = 1_000;

/**
 * Serves items for as long as it is let. A bad item is set aside and told of, a failing source is opened again, and nothing but the
 * signal ends it. Whoever asks is told how it is.
 */
export class SupervisedLoop<Item> {
  readonly #options: LoopOptions<Item>;
  readonly #working = new Set<Promise<void>>();
  #state: LoopHealth['state'] = 'stopped';
  #setAside = 0;
  #failures = 0;
  #lastError: LoopHealth['last_error'] = null;

  constructor(options: LoopOptions<Item>) {
    this.#options = options;
  }

  get health(): LoopHealth {
    const serving = this.#state === 'waiting' && this.#working.size > 0;
    return {
      name: this.#options.name,
      state: serving ? 'serving' : this.#state,
      set_aside: this.#setAside,
      failures: this.#failures,
      last_error: this.#lastError,
    };
  }

  /** Items that are being served. */
  get working(): ReadonlySet<Promise<void>> {
    return this.#working;
  }

  /** Resolves when the signal has aborted and the source is closed. What is being served then continues: see `working`. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, name, limit = 1 } = this.#options;
    while (!signal.aborted) {
      const cancelRecovery =
        this.#failures === 0 ? this.#isWell() : clock.after(RECOVERED_MS, () => this.#isWell());
      try {
        for await (const item of this.#options.items(signal)) {
          this.#begin(item, signal);
          if (limit > 1) await untilCalm();
          while (this.#working.size >= limit && !signal.aborted) await orAborted(this.#working, signal);
        }
        if (signal.aborted) break;
        throw new Error(`The source of '${name}' has ended.`);
      } catch (error) {
        if (signal.aborted) break;
        this.#failures++;
        this.#state = 'retrying';
        this.#tell('LOOP_FAILED', error, null);
        cancelRecovery();
        await sleep(clock, this.#pause(), signal).catch(() => {});
      } finally {
        cancelRecovery();
      }
    }
    this.#state = 'stopped';
  }

  #pause(): number {
    const { pauses } = this.#options;
    const doubled = Math.min(FIRST_PAUSE_MS * 2 ** (this.#failures - 1), LONGEST_PAUSE_MS);
    return pauses?.[Math.min(this.#failures, pauses.length) - 1] ?? doubled;
  }

  /** Returns what undoes nothing, in the place of a timer. */
  #isWell(): () => void {
    this.#failures = 0;
    this.#state = 'waiting';
    return () => {};
  }

  /** Serves an item that does not come from the source. Resolves when it was served or set aside. */
  async add(item: Item, signal: AbortSignal): Promise<void> {
    await this.#begin(item, signal);
  }

  #begin(item: Item, signal: AbortSignal): Promise<void> | void {
    let served: Promise<void> | void;
    try {
      served = this.#options.serve(item, signal);
      if (!served) return;
    } catch (error) {
      served = Promise.reject(error);
    }
    const working: Promise<void> = served
      .catch((error) => this.putAside(item, error))
      .finally(() => this.#working.delete(working));
    this.#working.add(working);
    return working;
  }

  /** Tells of an item that could not be served, here or by whoever serves items of this loop beside it. */
  async putAside(item: Item, error: unknown): Promise<void> {
    const { setAside, nameOf } = this.#options;
    this.#setAside++;
    this.#tell('ITEM_SET_ASIDE', error, nameOf(item));
    try {
      await setAside?.(item, error);
    } catch (fault) {
      this.#tell('ITEM_SET_ASIDE', fault, nameOf(item));
    }
  }

  #tell(code: string, error: unknown, item: string | null): void {
    const { clock, report, name } = this.#options;
    const info = errorInfo(error);
    this.#lastError = { time: isoTime(clock), code: codeOf(error), message: info.message, item };
    const about = item === null ? `${name} cannot go on and tries again` : `${name} set ${item} aside`;
    report({ level: 'error', code, message: `${about}: ${info.message}`, error });
  }
}

/** Resolves when the first of them has ended, or the signal aborts. */
async function orAborted(working: ReadonlySet<Promise<void>>, signal: AbortSignal): Promise<void> {
  let stop = () => {};
  const aborted = new Promise<void>((resolve) => {
    stop = resolve;
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
  try {
    await Promise.race([aborted, ...working]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** What is to be looked at again and again: all of `list`, each time so many milliseconds have passed. */
export async function* everySoOften<Item>(
  clock: Clock,
  ms: number,
  list: () => Iterable<Item>,
  signal: AbortSignal,
): AsyncGenerator<Item> {
  while (!signal.aborted) {
    await sleep(clock, ms, signal).catch(() => {});
    if (signal.aborted) return;
    yield* list();
  }
}

/** Failures of the machine that pass: what met one may be tried again as it is. */
const PASSING = new Set([
  'ENOSPC',
  'EDQUOT',
  'EIO',
  'EROFS',
  'EMFILE',
  'ENFILE',
  'EBUSY',
  'EAGAIN',
  'STORAGE_FULL',
  'STORAGE_DENIED',
  'STORAGE_FAILED',
]);

export function isPassingFailure(error: unknown): boolean {
  const code = codeOf(error);
  return code !== null && PASSING.has(code);
}

/** Ours, or that of the operating system. */
function codeOf(error: unknown): string | null {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : null;
}

/** While turns of the event loop take longer, the next item begins a little later, so that others get an answer in between. */
const CALM_TURN_MS = 30;
const CALM_WAIT_MS = 150;

/**
 * Resolves in one of the next turns of the event loop: as soon as a turn was short, and in any case after `CALM_WAIT_MS`. Items that are
 * begun at once run in step, and every other request waits for all of them.
 */
async function untilCalm(): Promise<void> {
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
