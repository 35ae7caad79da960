import { type FSWatcher, watch } from 'node:fs';
import { FEED_LINGER_MS, FEED_PAUSE_MS, FEED_REST_MS, FEED_SEGMENTS, JOURNAL_BYTES } from '../defaults.js';
import { SessionError } from '../session-error.js';
import { coalesce } from './coalesce.js';
import { readAt, statFd, withFd } from './descriptor.js';
import { ensureFolder } from './folder.js';
import { Journal } from './journal.js';
import { JournalReader, type Position } from './journal-reader.js';
import { isMissing } from './storage-error.js';

/** A line of the feed: session `s` has new bytes in its events or its transcript, or new mail. */
export interface Pointer {
  s: string;
  e?: [from: number, to: number];
  t?: [from: number, to: number];
  m?: 1;
}

type Listener = (pointer: Pointer) => void;

/**
 * The one order of everything that happens in all sessions, and the bell that wakes who waits for it. It holds pointers
 * only: the facts stay in the sessions. One file watch serves all listeners of a process.
 */
export class Feed {
  readonly #journal: Journal;
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #onError: (error: unknown) => void;
  readonly #dispatch: () => Promise<void>;
  #reader: JournalReader | undefined;
  #watcher: FSWatcher | undefined;
  #starting: Promise<void> | undefined;
  readonly #waiting = new Map<string, Pointer>();
  #pause: NodeJS.Timeout | undefined;
  #resting: NodeJS.Timeout | undefined;
  #hasNews = false;
  #leaving: NodeJS.Timeout | undefined;
  #recent: { reader: JournalReader; ends: Map<string, number> } | undefined;
  #flushed: Promise<void> = Promise.resolve();
  #written = 0;

  private constructor(folder: string, onError: (error: unknown) => void) {
    this.#journal = new Journal(folder, 'feed');
    this.#onError = onError;
    this.#dispatch = coalesce(() => this.#read());
  }

  static async open(folder: string, onError: (error: unknown) => void): Promise<Feed> {
    await ensureFolder(folder);
    const feed = new Feed(folder, onError);
    await feed.#rotate();
    return feed;
  }

  /**
   * Tells all processes soon. It is not flushed to disk: whoever takes over an unclean session says it again. News that
   * follow each other closely are written together, because on common file systems a file that was written meanwhile
   * makes the next flush of every other one slower.
   */
  publish(pointer: Pointer): void {
    const { s, m } = pointer;
    const before = this.#waiting.get(s);
    this.#waiting.set(s, before ? joinPointers(before, pointer) : pointer);
    if (m || this.#pause === undefined) this.#flushNow();
  }

  /** Resolves when everything published so far can be seen by all processes. */
  async flush(): Promise<void> {
    if (this.#waiting.size > 0) this.#flushNow();
    await this.#flushed;
  }

  /** Calls `listener` for each pointer of a session (of all with `*`) from when this resolves. Returns the way to stop. */
  async listen(session_id: string, listener: Listener): Promise<() => void> {
    const listeners = this.#listeners.get(session_id) ?? new Set();
    this.#listeners.set(session_id, listeners.add(listener));
    clearTimeout(this.#leaving);
    this.#watcher?.ref();
    this.#starting ??= this.#start();
    await this.#starting;
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(session_id);
      if (this.#listeners.size === 0) this.#stopSoon();
    };
  }

  async end(): Promise<Position> {
    const segment = (await this.#journal.segments()).at(-1) ?? 1;
    const { size } = await withFd(this.#journal.path(segment), 'r', statFd);
    return { segment, offset: size };
  }

  reader(position: Position): JournalReader {
    return new JournalReader(this.#journal, position);
  }

  /** How far the events of a session have been published, by its last pointer. */
  async publishedEvents(session_id: string): Promise<number> {
    const segments = await this.#journal.segments();
    const recent = await this.#readRecent(segments.at(-1) ?? 1);
    const end = recent.get(session_id);
    if (end !== undefined) return end;
    const needle = `{"s":${JSON.stringify(session_id)},"e":`;
    for (const segment of segments.reverse()) {
      const text = await this.#segmentText(segment);
      const at = text.lastIndexOf(needle);
      if (at < 0) continue;
      const pointer: Pointer = JSON.parse(text.toString('utf8', at, text.indexOf(10, at)));
      return pointer.e?.[1] ?? 0;
    }
    return 0;
  }

  async close(): Promise<void> {
    await this.flush();
    clearTimeout(this.#pause);
    clearTimeout(this.#resting);
    clearTimeout(this.#leaving);
    this.#listeners.clear();
    this.#stop();
    this.#recent?.reader.close();
    await this.#journal.close();
  }

  #flushNow(): void {
    const pointers = [...this.#waiting.values()];
    this.#waiting.clear();
    clearTimeout(this.#pause);
    // Pacing of writes, not time that anybody measures: it must pass in a test that stops the clock, too.
    this.#pause = setTimeout(() => {
      this.#pause = undefined;
      if (this.#waiting.size > 0) this.#flushNow();
    }, FEED_PAUSE_MS);
    this.#flushed = this.#write(pointers).catch(this.#onError);
  }

  async #write(pointers: readonly Pointer[]): Promise<void> {
    const lines = pointers.map((pointer) => JSON.stringify(pointer));
    await this.#journal.append(lines, { sync: false });
    for (const line of lines) this.#written += line.length;
    if (this.#written < JOURNAL_BYTES / 8) return;
    this.#written = 0;
    await this.#rotate();
  }

  /** How far the sessions of the newest segment have been published. Each line is read once, however many sessions are asked for. */
  async #readRecent(newest: number): Promise<Map<string, number>> {
    this.#recent ??= { reader: this.reader({ segment: newest, offset: 0 }), ends: new Map() };
    const { reader, ends } = this.#recent;
    const lines = await reader.read();
    if (lines === null) this.#recent = undefined;
    for (const { text } of lines ?? []) {
      const pointer = parsePointer(text);
      if (pointer?.e) ends.set(pointer.s, pointer.e[1]);
    }
    return ends;
  }

  async #segmentText(segment: number): Promise<Buffer> {
    try {
      return await withFd(this.#journal.path(segment), 'r', async (fd) =>
        readAt(fd, 0, (await statFd(fd)).size),
      );
    } catch (error) {
      if (isMissing(error)) return Buffer.alloc(0);
      throw error;
    }
  }

  async #start(): Promise<void> {
    this.#watcher = watch(this.#journal.folder, () => this.#look());
    this.#watcher.on('error', this.#onError);
    this.#reader = this.reader(await this.end());
  }

  /** At once, and then at most every few milliseconds: what a busy process writes itself would wake it each time. */
  #look(): void {
    if (this.#resting !== undefined) {
      this.#hasNews = true;
      return;
    }
    this.#dispatch().catch(this.#onError);
    this.#resting = setTimeout(() => {
      this.#resting = undefined;
      if (this.#hasNews) this.#look();
    }, FEED_REST_MS).unref();
    this.#hasNews = false;
  }

  /** Pacing, not time that anybody measures. Neither the watch nor the wait keeps the process alive. */
  #stopSoon(): void {
    this.#watcher?.unref();
    clearTimeout(this.#leaving);
    this.#leaving = setTimeout(() => this.#stop(), FEED_LINGER_MS).unref();
  }

  #stop(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    this.#starting = undefined;
    const reader = this.#reader;
    this.#reader = undefined;
    // A read may be under way; this one, which finds no reader, comes after it.
    this.#dispatch()
      .then(() => reader?.close())
      .catch(this.#onError);
  }

  async #read(): Promise<void> {
    const lines = await this.#reader?.read();
    if (lines === null) this.#reader = this.reader(await this.end());
    for (const { text } of lines ?? []) {
      const pointer = parsePointer(text);
      if (!pointer) continue;
      for (const key of [pointer.s, '*']) {
        for (const listener of this.#listeners.get(key) ?? []) listener(pointer);
      }
    }
    if (lines === null) for (const all of this.#listeners.values()) for (const wake of all) wake({ s: '' });
  }

  async #rotate(): Promise<void> {
    const segments = await this.#journal.segments();
    const newest = segments.at(-1) ?? 1;
    const { size } = await withFd(this.#journal.path(newest), 'r', statFd);
    if (size < JOURNAL_BYTES) return;
    await this.#journal.begin(newest + 1);
    for (const segment of segments.slice(0, -FEED_SEGMENTS)) await this.#journal.remove(segment);
  }
}

/** Two pieces of news about one session as one: what is appended to a log follows what was appended before. */
function joinPointers(a: Pointer, b: Pointer): Pointer {
  const joined: Pointer = { s: a.s };
  const [e, t, m] = [joinRanges(a.e, b.e), joinRanges(a.t, b.t), a.m ?? b.m];
  if (e) joined.e = e;
  if (t) joined.t = t;
  if (m) joined.m = m;
  return joined;
}

function joinRanges(a: Pointer['e'], b: Pointer['e']): Pointer['e'] {
  return a && b ? [Math.min(a[0], b[0]), Math.max(a[1], b[1])] : (a ?? b);
}

/** Null for the remains of a line whose writer died. */
export function parsePointer(text: string): Pointer | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A cursor names a place in the feed and how many events of the pointer there have been seen. */
export function formatCursor({ segment, offset }: Position, seen: number): string {
  return `${segment}.${offset}.${seen}`;
}

export function parseCursor(cursor: string): { position: Position; seen: number } {
  const [segment = 0, offset = 0, seen = 0, ...more] = cursor.split('.').map(Number);
  const valid = [segment, offset, seen].every((part) => Number.isInteger(part) && part >= 0);
  if (valid && segment > 0 && more.length === 0) return { position: { segment, offset }, seen };
  throw new SessionError(`${JSON.stringify(cursor)} is not a cursor of the feed.`, {
    code: 'INVALID_CURSOR',
  });
}
