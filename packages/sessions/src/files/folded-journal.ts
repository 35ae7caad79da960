import { readFile, stat } from 'node:fs/promises';
import type { Clock, Report } from '@amplifier/core';
import type { Liveness } from '../process-identity.js';
import { hasCode } from '../session-error.js';
import { coalesce } from './coalesce.js';
import { ensureFolder } from './folder.js';
import { Journal } from './journal.js';
import { JournalReader, type Position } from './journal-reader.js';
import { corrupt, isMissing, onDisk } from './storage-error.js';
import { writeAtomic } from './write-atomic.js';
import { WriterLock } from './writer-lock.js';

/** What a journal amounts to. Applying a line that was applied before, or is out of date, must change nothing. */
export interface Fold<L> {
  /** Starts over from a snapshot, or from nothing. Returns the snapshot's generation; null when it is damaged. */
  load(snapshot: Buffer | null): number | null;
  apply(line: L): void;
  /** Called before `dump` with the snapshot it will replace, for what is to be kept elsewhere. */
  prepareDump?(generation: number, before: Buffer | null): Promise<void>;
  dump(generation: number): string;
}

export interface FoldedJournalOptions<L> {
  folder: string;
  name: string;
  snapshotPath: string;
  fold: Fold<L>;
  /** What an unreadable snapshot means: damage, or just a lost cache. */
  snapshotIsCache: boolean;
  /** Whoever appends a line here has applied it already, and in whatever order lines are applied, the fold is the same. */
  appliesOwn?: boolean;
  maxBytes: number;
  clock: Clock;
  liveness: Liveness;
  report: Report;
}

/** State that several processes share: a snapshot, a journal of what came after it, and the fold of both in memory. */
export class FoldedJournal<L> {
  /** Brings the fold up to everything any process had appended before the call. */
  readonly refresh: () => Promise<void>;
  readonly #options: FoldedJournalOptions<L>;
  readonly #journal: Journal;
  #reader: JournalReader | undefined;
  /** Everything that was appended before the fold started over has been read since. */
  #mayPass = false;

  private constructor(options: FoldedJournalOptions<L>) {
    this.#options = options;
    this.#journal = new Journal(options.folder, options.name);
    this.refresh = coalesce(() => onDisk('read', options.folder, () => this.#refresh()));
  }

  static async open<L>(options: FoldedJournalOptions<L>): Promise<FoldedJournal<L>> {
    await ensureFolder(options.folder);
    const journal = new FoldedJournal(options);
    await journal.refresh();
    return journal;
  }

  async append(lines: readonly L[], options: { sync: boolean }): Promise<void> {
    await this.#journal.append(
      lines.map((line) => JSON.stringify(line)),
      options,
    );
  }

  /** How far it has been read. */
  get position(): Position {
    return this.#reader?.position ?? { segment: 0, offset: 0 };
  }

  /** The snapshot as it is on disk. */
  snapshot(): Promise<Buffer | null> {
    return readSnapshot(this.#options.snapshotPath);
  }

  async isLarge(): Promise<boolean> {
    // The reader may be behind: whoever only writes has no reason to read.
    const segment = Math.max(this.#reader?.position.segment ?? 1, this.#journal.segment);
    try {
      return (await stat(this.#journal.path(segment))).size > this.#options.maxBytes;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }

  /** Folds the journal into the snapshot. Does nothing while another process is doing it. */
  async compact(): Promise<void> {
    const { folder, clock, liveness, fold, snapshotPath } = this.#options;
    let lock: WriterLock;
    try {
      lock = WriterLock.acquire(folder, folder, { clock, liveness });
    } catch (error) {
      if (hasCode(error, 'SESSION_LOCKED')) return;
      throw error;
    }
    try {
      const segments = await this.#journal.segments();
      const generation = (segments.at(-1) ?? 0) + 1;
      // Reading seals the older segments: what is read after this is all that will ever count in them.
      await this.#journal.begin(generation);
      await this.refresh();
      await fold.prepareDump?.(generation, await this.snapshot());
      await writeAtomic(snapshotPath, fold.dump(generation));
      for (const segment of segments) await this.#journal.remove(segment);
    } finally {
      lock.release();
    }
  }

  async close(): Promise<void> {
    await this.#journal.close();
    await this.#drop();
  }

  async #refresh(): Promise<void> {
    for (;;) {
      this.#reader ??= await this.#load();
      const { isIdle } = this.#journal;
      const own = this.#journal.takeOwn();
      if (this.#mayPass) this.#reader.pass(own);
      const lines = await this.#reader.read();
      // What was written meanwhile may have been read or not. Counting too little of one's own is always safe.
      this.#journal.takeOwn();
      if (isIdle && this.#options.appliesOwn) this.#mayPass = true;
      if (lines === null) {
        await this.#drop();
        continue;
      }
      for (const { text, end } of lines) this.#apply(text, end.segment);
      return;
    }
  }

  async #load(): Promise<JournalReader> {
    const { fold, snapshotPath, snapshotIsCache, report } = this.#options;
    const snapshot = await readSnapshot(snapshotPath);
    const [lowest = 1] = await this.#journal.segments();
    this.#mayPass = false;
    let generation = fold.load(snapshot);
    if (generation === null) {
      if (!snapshotIsCache) throw corrupt(snapshotPath, null, 'this is not a snapshot');
      const message = `${snapshotPath} was damaged and is made again.`;
      report({ level: 'warning', code: 'INDEX_REBUILT', message });
      generation = fold.load(null);
    }
    return new JournalReader(this.#journal, { segment: Math.max(generation ?? 0, lowest), offset: 0 });
  }

  #apply(text: string, segment: number): void {
    let line: unknown;
    try {
      line = JSON.parse(text);
    } catch {
      const message = `${this.#journal.path(segment)}: skipped a line that a dying process left unfinished.`;
      this.#options.report({ level: 'warning', code: 'JOURNAL_LINE_SKIPPED', message });
      return;
    }
    this.#options.fold.apply(line as L);
  }

  async #drop(): Promise<void> {
    const reader = this.#reader;
    this.#reader = undefined;
    await reader?.close();
  }
}

async function readSnapshot(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
