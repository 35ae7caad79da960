import { closeSync, fdatasyncSync, mkdirSync, openSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Report } from '@amplifier/core';
import {
  FILE_MODE,
  FOLDER_MODE,
  QUICK_FLUSH_MS,
  REDO_IDLE_MS,
  REDO_RECORD_BYTES,
  REDO_ROOM_BYTES,
  REDO_SEGMENT_BYTES,
} from '../defaults.js';
import type { ProcessIdentity } from '../process-identity.js';
import { syncData, syncFd, writeAllAt } from './descriptor.js';
import { flushSession, flushSessions } from './flush-session.js';
import { encodeFrames, type Frame } from './redo-frames.js';
import { isMissing } from './storage-error.js';
import { warn } from './store-context.js';
import { syncFolder } from './write-atomic.js';

export interface RedoLogOptions {
  /** The folder of the sessions. */
  folder: string;
  owner: ProcessIdentity;
  ulid: () => string;
  report: Report;
}

/** The first line of a log: whose it is. A log is settled by others only when its owner is dead. */
export interface RedoHeader {
  version: 1;
  owner: ProcessIdentity;
}

/** What one flush makes durable, and all who wait for it. */
class Batch {
  readonly frames: Frame[] = [];
  /** Whether the log has it: see `commit`. */
  readonly done: Promise<boolean>;
  resolve: (isLogged: boolean) => void = () => {};
  reject: (error: unknown) => void = () => {};

  constructor() {
    this.done = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }
}

interface Segment {
  fd: number;
  position: number;
  /** Up to here the file has its blocks, so that a flush writes data and nothing else. */
  room: number;
}

/** What must be flushed in its own place before logs may go. The value says whether the session is new to its folder. */
interface Debt {
  sessions: Map<string, boolean>;
  paths: string[];
}

const ROOM = Buffer.alloc(REDO_ROOM_BYTES);

/**
 * How all sessions of a process share one flush. What they append is written to their own files at once, where every
 * reader sees it, and once more here; flushing this one file makes all of it durable. The files themselves are flushed
 * later and together, and then the log is dropped. After a power cut whoever opens the store next writes what the log
 * has and the files lost (`recover-redo.ts`).
 */
export class RedoLog {
  readonly #options: RedoLogOptions;
  #waiting: Batch | undefined;
  #flushing: Promise<void> | undefined;
  #segment: Segment | undefined;
  #debt: Debt = { sessions: new Map(), paths: [] };
  #settling: Promise<void> = Promise.resolve();
  #warned = false;
  #isQuick = false;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: RedoLogOptions) {
    this.#options = options;
  }

  /**
   * Resolves when the frames, which must be in their files already, would survive a power cut. False when the log cannot be
   * written: then the sessions were flushed themselves, but for those whose folder has not got its name yet.
   */
  commit(frames: readonly Frame[]): Promise<boolean> {
    this.#waiting ??= new Batch();
    this.#waiting.frames.push(...frames);
    this.#flushing ??= this.#flush();
    return this.#waiting.done;
  }

  /** Takes over what a dead process left unsettled. */
  adopt({ paths, sessions }: { paths: readonly string[]; sessions: readonly string[] }): void {
    if (paths.length === 0) return;
    for (const session_id of sessions) this.#debt.sessions.set(session_id, true);
    this.#debt.paths.push(...paths);
    this.#settleWhenIdle();
  }

  /** Flushes the files themselves, so that the log has nothing left to say. */
  async settle(): Promise<void> {
    await this.#flushing;
    this.#retire();
    await this.#settling;
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    await this.settle();
  }

  async #flush(): Promise<void> {
    // Lets everything that follows at once, be it in its own tick, join the first flush.
    await new Promise(setImmediate);
    while (this.#waiting) {
      const batch = this.#waiting;
      this.#waiting = undefined;
      try {
        batch.resolve(await this.#commit(batch.frames));
      } catch (error) {
        batch.reject(error);
      }
    }
    this.#flushing = undefined;
    this.#settleWhenIdle();
  }

  /** A log that cannot be written, as on a full disk, loses nothing: the files are there and can be flushed themselves. */
  async #commit(frames: readonly Frame[]): Promise<boolean> {
    try {
      await this.#write(frames);
      return true;
    } catch (error) {
      this.#warnOnce(error);
      // What the segment holds of these frames is unknown, so nothing more is added to it.
      this.#leave();
      await flushSessions(this.#options.folder, sessionsOf(frames));
      return false;
    }
  }

  async #write(frames: readonly Frame[]): Promise<void> {
    sessionsOf(frames, this.#debt.sessions);
    const large = frames.findIndex(isLarge);
    if (large < 0) return this.#append(frames);
    // What came before it is on disk before it is, and what came after it is not.
    if (large > 0) await this.#append(frames.slice(0, large));
    await flushSession(join(this.#options.folder, frames[large]?.session_id ?? ''), false);
    if (large + 1 < frames.length) await this.#write(frames.slice(large + 1));
  }

  async #append(frames: readonly Frame[]): Promise<void> {
    const segment = this.#segment ?? (await this.#begin());
    const bytes = encodeFrames(frames);
    segment.position += writeAllAt(segment.fd, bytes, segment.position);
    if (segment.position > segment.room) {
      segment.room = segment.position + writeAllAt(segment.fd, ROOM, segment.position);
    }
    await this.#sync(segment.fd, sessionsOf(frames).size <= 2);
    if (segment.position > REDO_SEGMENT_BYTES) this.#retire();
  }

  /**
   * For a lone session, or one and its parent, the flush is done on the spot while the disk is quick: the way to the thread pool and back would take
   * about as long. Where many wait, or the disk is slow, others can work meanwhile.
   */
  async #sync(fd: number, isAlone: boolean): Promise<void> {
    const started = performance.now();
    if (isAlone && this.#isQuick) fdatasyncSync(fd);
    else await syncData(fd);
    this.#isQuick = performance.now() - started < QUICK_FLUSH_MS;
  }

  async #begin(): Promise<Segment> {
    const { owner, ulid } = this.#options;
    const folder = redoFolder(this.#options.folder);
    const path = join(folder, `${ulid()}.redo`);
    const header: RedoHeader = { version: 1, owner };
    mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
    const fd = openSync(path, 'wx', FILE_MODE);
    this.#debt.paths.push(path);
    this.#segment = { fd, position: writeAllAt(fd, Buffer.from(`${JSON.stringify(header)}\n`), 0), room: 0 };
    await syncFd(fd);
    await syncFolder(folder);
    return this.#segment;
  }

  /** Ends the segment and pays the debt in the background; what is appended meanwhile goes to the next one. */
  #retire(): void {
    this.#leave();
    const debt = this.#debt;
    if (debt.paths.length === 0) return;
    this.#debt = { sessions: new Map(), paths: [] };
    this.#settling = this.#settling.then(() => this.#pay(debt));
  }

  async #pay(debt: Debt): Promise<void> {
    const { folder, report } = this.#options;
    try {
      await flushSessions(folder, debt.sessions);
      for (const path of debt.paths) await rm(path, { force: true });
    } catch (error) {
      // The logs stay: they are tried again with the next ones, or by whoever opens the store after this process.
      for (const [id, born] of debt.sessions) {
        this.#debt.sessions.set(id, born || (this.#debt.sessions.get(id) ?? false));
      }
      this.#debt.paths.unshift(...debt.paths);
      if (!isMissing(error)) warn(report, 'REDO_NOT_SETTLED', `${folder} could not be flushed.`, error);
    }
  }

  #warnOnce(error: unknown): void {
    if (this.#warned) return;
    this.#warned = true;
    const { folder, report } = this.#options;
    const message = `${redoFolder(folder)} cannot be written, so each session is flushed by itself, which is slower.`;
    warn(report, 'REDO_NOT_WRITTEN', message, error);
  }

  #leave(): void {
    if (this.#segment) closeSync(this.#segment.fd);
    this.#segment = undefined;
  }

  /** Pacing of flushes, not time that anybody measures: it must pass in a test that stops the clock, too. */
  #settleWhenIdle(): void {
    if (this.#idle) this.#idle.refresh();
    else this.#idle = setTimeout(() => this.#flushing ?? this.#retire(), REDO_IDLE_MS).unref();
  }
}

/** The sessions of some frames; true for those that are new. Adds to those known already. */
function sessionsOf(frames: readonly Frame[], known: Map<string, boolean> = new Map()): Map<string, boolean> {
  for (const { session_id, born } of frames) {
    known.set(session_id, born !== undefined || (known.get(session_id) ?? false));
  }
  return known;
}

function isLarge({ bytes }: Frame): boolean {
  return bytes.length > REDO_RECORD_BYTES;
}

export function redoFolder(folder: string): string {
  return join(folder, '.redo');
}
