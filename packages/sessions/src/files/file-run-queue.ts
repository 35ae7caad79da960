import { type FSWatcher, watch } from 'node:fs';
import { join, resolve } from 'node:path';
import { errorInfo, type Report, systemClock } from '@amplifier/core';
import { RUN_JOURNAL_BYTES, RUN_RETENTION_MS } from '../defaults.js';
import { FoldedRunQueue, type RunLines, type RunQueueOptions } from '../folded-run-queue.js';
import { systemLiveness } from '../process-identity.js';
import { RunFold, type RunLine } from '../run-fold.js';
import { FileRunArchive } from './file-run-archive.js';
import { FoldedJournal } from './folded-journal.js';

export interface FileRunQueueOptions extends RunQueueOptions {
  /** The folder of the queue. Made when missing. */
  folder: string;
  report?: Report;
  /** The journal is folded away at this size. */
  journalBytes?: number;
}

/** A queue in one journal, shared by any number of processes of one machine. */
export class FileRunQueue extends FoldedRunQueue {
  static async open(options: FileRunQueueOptions): Promise<FileRunQueue> {
    return new FileRunQueue(await JournalLines.open(options), options);
  }
}

interface JournalParts {
  folder: string;
  fold: RunFold;
  journal: FoldedJournal<RunLine>;
  maxBytes: number;
  report: Report;
}

class JournalLines implements RunLines {
  readonly fold: RunFold;
  readonly #folder: string;
  readonly #journal: FoldedJournal<RunLine>;
  readonly #listeners = new Set<() => void>();
  readonly #maxBytes: number;
  readonly #report: Report;
  #watcher: FSWatcher | undefined;
  /** The segment that the fold has in memory from its beginning. */
  #segment: number;
  #tidying: Promise<void> | undefined;

  private constructor(parts: JournalParts) {
    const { folder, fold, journal, maxBytes, report } = parts;
    this.#folder = folder;
    this.fold = fold;
    this.#journal = journal;
    this.#maxBytes = maxBytes;
    this.#report = report;
    this.#segment = journal.position.segment;
  }

  static async open(options: FileRunQueueOptions): Promise<JournalLines> {
    const { clock = systemClock, liveness = systemLiveness, report = warnOnProcess } = options;
    const folder = resolve(options.folder);
    const { journalBytes: maxBytes = RUN_JOURNAL_BYTES } = options;
    const keepSince = () => new Date(clock.now() - RUN_RETENTION_MS).toISOString();
    const fold = new RunFold(keepSince, new FileRunArchive(folder));
    const journal = await FoldedJournal.open({
      folder,
      name: 'runs',
      snapshotPath: join(folder, 'runs.json'),
      fold,
      snapshotIsCache: false,
      maxBytes,
      clock,
      liveness,
      report,
    });
    if (await journal.isLarge()) await journal.compact();
    return new JournalLines({ folder, fold, journal, maxBytes, report });
  }

  refresh(): Promise<void> {
    return this.#journal.refresh();
  }

  /** What must not be lost is flushed; signs of life and claims are worth nothing after a power cut. */
  async append(line: RunLine): Promise<void> {
    const sync = line.op !== 'beat' && line.op !== 'claim' && line.op !== 'release';
    await this.#journal.append([line], { sync });
    await this.#journal.refresh();
    this.#tidying ??= this.#tidy();
  }

  /** One file watch serves all listeners. */
  listen(onNews: () => void): () => void {
    this.#listeners.add(onNews);
    this.#watcher ??= watch(this.#folder, () => {
      for (const tell of this.#listeners) tell();
    });
    return () => {
      this.#listeners.delete(onNews);
      if (this.#listeners.size === 0) this.#stopWatching();
    };
  }

  async close(): Promise<void> {
    this.#stopWatching();
    await this.#tidying;
    await this.#journal.close();
  }

  /** Keeps journal and memory small while nobody waits for it. */
  #tidy(): Promise<void> | undefined {
    const { segment, offset } = this.#journal.position;
    if (segment === this.#segment && offset < this.#maxBytes) return undefined;
    const tidied = segment === this.#segment ? this.#journal.compact() : this.#follow(segment);
    return tidied
      .catch((error) => {
        const message = `The journal of runs could not be made smaller: ${errorInfo(error).message}`;
        this.#report({ level: 'warning', code: 'JOURNAL_NOT_FOLDED', message, error });
      })
      .finally(() => {
        this.#tidying = undefined;
      });
  }

  /** A new segment has begun, so somebody has put ended runs away, or is about to. */
  async #follow(segment: number): Promise<void> {
    const snapshot = await this.#journal.snapshot();
    if (snapshot) this.fold.follow(snapshot);
    this.#segment = segment;
  }

  #stopWatching(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
  }
}

const warnOnProcess: Report = ({ code, message }) =>
  process.emitWarning(message, { type: 'AmplifierWarning', code });
