import {
  Bell,
  type Diagnostic,
  errorInfo,
  isPassingFailure,
  type LoopHealth,
  quietClock,
  type Report,
  SupervisedLoop,
} from '@amplifier/core';
import {
  COPIES_REMEMBERED,
  COPY_CLOSE_MS,
  COPY_IDLE_MS,
  COPY_INDEX_REST,
  COPY_LATEST_MS,
  COPY_RETRY_MS,
  COPY_STALE,
} from '../defaults.js';
import { hasCode } from '../session-error.js';
import type { SqlSessionStore } from '../sql/sql-session-store.js';
import type { RecordFollower } from '../sql/store-context.js';
import { type CopyLayout, copyFolder, removeFolder } from './copy-layout.js';
import { type WrittenCopy, writeCopy } from './write-copy.js';
import { writeIndex } from './write-index.js';

/** One thing to write: the folder of a session, or the list of all. */
type Copy = { session_id: string } | 'index.json';

/**
 * Sessions as files that people and other programs can read. They follow the record when it has been idle for a moment, and when the
 * store is closed, as far as there is time; the next process writes the rest. Only what changed is written, without waiting for the
 * disk. Nothing here reads their contents.
 */
export class ReadableCopies implements RecordFollower {
  readonly #store: SqlSessionStore;
  readonly #layout: CopyLayout;
  readonly #report: Report;
  readonly #due = new Set<string>();
  /** The least recently written first. */
  readonly #written = new Map<string, WrittenCopy>();
  readonly #bell = new Bell();
  readonly #stop = new AbortController();
  readonly #loop: SupervisedLoop<Copy>;
  #timer: NodeJS.Timeout | undefined;
  /** When the record will have been idle, and when copies are written although it is not. */
  #idleAt = 0;
  #latestAt = 0;
  #retry: NodeJS.Timeout | undefined;
  #indexTimer: NodeJS.Timeout | undefined;
  #isServing = false;
  /** One writer at a time: files are appended to. */
  #writing: Promise<unknown> = Promise.resolve();
  /** What processes that died left to do has been found. */
  #left: Promise<void> = Promise.resolve();
  #hasTold = false;
  /** The list of all sessions lags behind, and when it may be written next. */
  #isIndexStale = false;
  #indexNotBefore = 0;
  #closeBy = Number.POSITIVE_INFINITY;

  constructor(store: SqlSessionStore, layout: CopyLayout, report: Report) {
    this.#store = store;
    this.#layout = layout;
    this.#report = report;
    this.#loop = new SupervisedLoop<Copy>({
      name: 'readable copies',
      clock: quietClock,
      report: (diagnostic) => this.#tell(diagnostic),
      items: (signal) => this.#toWrite(signal),
      serve: (copy) => this.#write(copy),
      nameOf: (copy) => (copy === 'index.json' ? copy : `the copy of session ${copy.session_id}`),
      setAside: async (copy, error) => this.#again(copy, error),
    });
  }

  get health(): LoopHealth {
    return this.#loop.health;
  }

  touch(session_id: string): void {
    this.#due.add(session_id);
    this.#writeWhenIdle();
  }

  async remove(project: string | null, session_id: string): Promise<void> {
    this.#due.delete(session_id);
    this.#written.delete(session_id);
    const folder = copyFolder(this.#layout, project, session_id);
    await this.#alone(() => removeFolder(folder)).catch((error) => this.#failed(error));
    this.#isIndexStale = true;
    this.#writeWhenIdle();
  }

  /** Also writes what processes that died did not get to. */
  makeGood(): void {
    // What goes wrong here is met again by whoever reads or writes.
    this.#left = this.#findLeft().catch(() => {});
  }

  async #findLeft(): Promise<void> {
    for (const session_id of await this.#store.uncopied(COPY_STALE)) this.touch(session_id);
    await this.#store.removeLeft();
  }

  /** Writes all that is due now. What cannot be written is told of. */
  async write(): Promise<void> {
    await this.#left;
    await Promise.all(this.#loop.working);
    for (const session_id of [...this.#due])
      if (!this.#isLate() && this.#due.delete(session_id))
        await this.#write({ session_id }).catch((error) => this.#failed(error));
    if (this.#isIndexStale) await this.#write('index.json').catch((error) => this.#failed(error));
  }

  async close(): Promise<void> {
    this.#stop.abort();
    for (const timer of [this.#timer, this.#retry, this.#indexTimer]) clearTimeout(timer);
    this.#closeBy = performance.now() + (this.#layout.closeMs ?? COPY_CLOSE_MS);
    await this.write();
  }

  readonly #isLate = () => performance.now() >= this.#closeBy;

  /** A timer that looks again when it is due costs less than one that every change sets anew. */
  #writeWhenIdle(): void {
    if (!this.#isServing) {
      this.#isServing = true;
      void this.#loop.run(this.#stop.signal);
    }
    this.#idleAt = performance.now() + COPY_IDLE_MS;
    if (this.#timer) return;
    this.#latestAt = performance.now() + COPY_LATEST_MS;
    this.#ringIn(COPY_IDLE_MS);
  }

  #ringIn(ms: number): void {
    this.#timer = setTimeout(() => {
      const left = Math.min(this.#idleAt, this.#latestAt) - performance.now();
      if (left > 0) return this.#ringIn(left);
      this.#timer = undefined;
      this.#bell.ring();
    }, ms).unref();
  }

  async *#toWrite(signal: AbortSignal): AsyncGenerator<Copy> {
    while (await this.#bell.wait(signal)) {
      // Those that are put back meanwhile are for the next time.
      for (const session_id of [...this.#due]) if (this.#due.delete(session_id)) yield { session_id };
      if (this.#isIndexDue()) yield 'index.json';
    }
  }

  /** Where it is not due yet, it will be. */
  #isIndexDue(): boolean {
    if (!this.#isIndexStale) return false;
    const wait = this.#indexNotBefore - Date.now();
    if (wait <= 0) return true;
    this.#indexTimer ??= setTimeout(() => {
      this.#indexTimer = undefined;
      this.#bell.ring();
    }, wait).unref();
    return false;
  }

  /** A full disk has room again some day; what else failed is tried again when the session changes, or is opened by the next process. */
  #again(copy: Copy, error: unknown): void {
    if (!isPassingFailure(error) || this.#stop.signal.aborted) return;
    if (copy !== 'index.json') this.#due.add(copy.session_id);
    this.#retry ??= setTimeout(() => {
      this.#retry = undefined;
      this.#bell.ring();
    }, COPY_RETRY_MS).unref();
  }

  async #write(copy: Copy): Promise<void> {
    if (copy === 'index.json') await this.#alone(() => this.#writeIndex());
    else await this.#alone(() => this.#writeSession(copy.session_id));
    this.#hasTold = false;
  }

  async #writeSession(session_id: string): Promise<void> {
    const before = this.#written.get(session_id);
    this.#written.delete(session_id);
    try {
      const copied = await this.#copy(session_id, before);
      this.#isIndexStale = true;
      if (!copied) return;
      this.#remember(session_id, copied.written);
      this.#store.markCopied(copied.metadata);
    } catch (error) {
      if (!hasCode(error, 'SESSION_NOT_FOUND')) throw error;
    }
  }

  /** A folder that was removed is written whole. */
  #copy(session_id: string, before: WrittenCopy | undefined): ReturnType<typeof writeCopy> {
    const write = (known?: WrittenCopy) =>
      writeCopy(this.#store, this.#layout, session_id, this.#isLate, known);
    return write(before).catch((error) => {
      if (before && (error as NodeJS.ErrnoException).code === 'ENOENT') return write();
      throw error;
    });
  }

  #remember(session_id: string, written: WrittenCopy): void {
    this.#written.set(session_id, written);
    for (const oldest of this.#written.keys())
      if (this.#written.size > COPIES_REMEMBERED) this.#written.delete(oldest);
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#writing.then(work);
    this.#writing = turn.catch(() => {});
    return turn;
  }

  async #writeIndex(): Promise<void> {
    this.#isIndexStale = false;
    const started = Date.now();
    try {
      await writeIndex(this.#store, this.#layout);
    } catch (error) {
      this.#isIndexStale = true;
      throw error;
    }
    const took = Date.now() - started;
    this.#indexNotBefore = Date.now() + Math.max(COPY_IDLE_MS, took * COPY_INDEX_REST);
  }

  #failed(error: unknown): void {
    this.#tell({ level: 'error', code: 'ITEM_SET_ASIDE', message: errorInfo(error).message, error });
  }

  /** Copies are not the record, so nothing fails with them; but somebody should know, once until they can be written again. */
  #tell({ message }: Diagnostic): void {
    if (this.#hasTold) return;
    this.#hasTold = true;
    this.#report({
      level: 'warning',
      code: 'COPIES_NOT_WRITTEN',
      message: `${message} The record itself is not affected. Free disk space or fix the permissions of the readable copies, or turn them off.`,
    });
  }
}
