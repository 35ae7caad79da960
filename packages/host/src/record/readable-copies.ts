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
import { hasCode, type RecordFollower, type SqlSessionStore } from '@amplifier/sessions';
import { type CopyLayout, copyFolder, removeFolder } from './copy-layout.js';
import { COPY_DELAY_MS, COPY_INDEX_REST, COPY_RETRY_MS, COPY_STALE } from './defaults.js';
import { writeCopy } from './write-copy.js';
import { writeIndex } from './write-index.js';

/** One thing to write: the folder of a session, or the list of all. */
type Copy = { session_id: string } | 'index.json';

/**
 * Sessions as files that people and other programs can read. They follow the record: soon after a turn, within a second
 * otherwise, and completely when the store is closed. Nothing here ever reads them for what they say.
 */
export class ReadableCopies implements RecordFollower {
  readonly #store: SqlSessionStore;
  readonly #layout: CopyLayout;
  readonly #report: Report;
  readonly #due = new Set<string>();
  readonly #bell = new Bell();
  readonly #stop = new AbortController();
  readonly #loop: SupervisedLoop<Copy>;
  #timer: NodeJS.Timeout | undefined;
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

  touch(session_id: string, isOver = false): void {
    this.#due.add(session_id);
    if (isOver) clearTimeout(this.#timer);
    if (isOver) this.#timer = this.#ringIn(0);
    else this.#timer ??= this.#ringIn(COPY_DELAY_MS);
  }

  async remove(project: string | null, session_id: string): Promise<void> {
    this.#due.delete(session_id);
    const folder = copyFolder(this.#layout, project, session_id);
    await this.#alone(() => removeFolder(folder)).catch((error) => this.#failed(error));
    this.#isIndexStale = true;
    this.#timer ??= this.#ringIn(COPY_DELAY_MS);
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
      if (this.#due.delete(session_id))
        await this.#write({ session_id }).catch((error) => this.#failed(error));
    if (this.#isIndexStale) await this.#write('index.json').catch((error) => this.#failed(error));
  }

  async close(): Promise<void> {
    this.#stop.abort();
    for (const timer of [this.#timer, this.#retry, this.#indexTimer]) clearTimeout(timer);
    await this.write();
  }

  #ringIn(ms: number): NodeJS.Timeout {
    if (!this.#isServing) {
      this.#isServing = true;
      void this.#loop.run(this.#stop.signal);
    }
    return setTimeout(() => {
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
    try {
      const copied = await writeCopy(this.#store, this.#layout, session_id);
      this.#isIndexStale = true;
      this.#store.markCopied(copied);
    } catch (error) {
      if (!hasCode(error, 'SESSION_NOT_FOUND')) throw error;
    }
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
    this.#indexNotBefore = Date.now() + Math.max(COPY_DELAY_MS, took * COPY_INDEX_REST);
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
