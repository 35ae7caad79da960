import { type FSWatcher, watch } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Report, systemClock } from '@amplifier/core';
import { JOURNAL_BYTES, RUN_RETENTION_MS } from '../defaults.js';
import { FoldedRunQueue, type RunLines, type RunQueueOptions } from '../folded-run-queue.js';
import { systemLiveness } from '../process-identity.js';
import { RunFold, type RunLine } from '../run-fold.js';
import { FoldedJournal } from './folded-journal.js';

export interface FileRunQueueOptions extends RunQueueOptions {
  /** The folder of the queue. Made when missing. */
  folder: string;
  report?: Report;
}

/** A queue in one journal, shared by any number of processes of one machine. */
export class FileRunQueue extends FoldedRunQueue {
  static async open(options: FileRunQueueOptions): Promise<FileRunQueue> {
    return new FileRunQueue(await JournalLines.open(options), options);
  }
}

class JournalLines implements RunLines {
  readonly fold: RunFold;
  readonly #folder: string;
  readonly #journal: FoldedJournal<RunLine>;
  readonly #listeners = new Set<() => void>();
  #watcher: FSWatcher | undefined;

  private constructor(folder: string, fold: RunFold, journal: FoldedJournal<RunLine>) {
    this.#folder = folder;
    this.fold = fold;
    this.#journal = journal;
  }

  static async open(options: FileRunQueueOptions): Promise<JournalLines> {
    const { clock = systemClock, liveness = systemLiveness, report = warnOnProcess } = options;
    const folder = resolve(options.folder);
    const fold = new RunFold(() => new Date(clock.now() - RUN_RETENTION_MS).toISOString());
    const journal = await FoldedJournal.open({
      folder,
      name: 'runs',
      snapshotPath: join(folder, 'runs.json'),
      fold,
      snapshotIsCache: false,
      maxBytes: JOURNAL_BYTES,
      clock,
      liveness,
      report,
    });
    if (await journal.isLarge()) await journal.compact();
    return new JournalLines(folder, fold, journal);
  }

  refresh(): Promise<void> {
    return this.#journal.refresh();
  }

  /** What must not be lost is flushed; signs of life and claims are worth nothing after a power cut. */
  async append(line: RunLine): Promise<void> {
    const sync = line.op !== 'beat' && line.op !== 'claim' && line.op !== 'release';
    await this.#journal.append([line], { sync });
    await this.#journal.refresh();
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
    await this.#journal.close();
  }

  #stopWatching(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
  }
}

const warnOnProcess: Report = ({ code, message }) =>
  process.emitWarning(message, { type: 'AmplifierWarning', code });
