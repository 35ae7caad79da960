import { type FSWatcher, watch } from 'node:fs';
import { FOREIGN_POLL_MS, FOREIGN_REST_MS, WATCH_LINGER_MS } from '../defaults.js';

/**
 * Notices what other processes commit: each commit writes to the log beside the database, which is watched. The clock looks,
 * too, for file systems and machines whose watches fail. Nothing runs while nobody listens.
 */
export class ForeignCommits {
  readonly #path: string;
  readonly #hasChanged: () => boolean;
  readonly #onNews: () => void;
  #watcher: FSWatcher | null = null;
  #poll: NodeJS.Timeout | undefined;
  #rest: NodeJS.Timeout | undefined;
  #linger: NodeJS.Timeout | undefined;
  #isStale = false;

  constructor(path: string, hasChanged: () => boolean, onNews: () => void) {
    this.#path = path;
    this.#hasChanged = hasChanged;
    this.#onNews = onNews;
  }

  start(): void {
    clearTimeout(this.#linger);
    this.#linger = undefined;
    if (this.#poll) return;
    this.#poll = setInterval(() => this.#look(), FOREIGN_POLL_MS).unref();
    this.#watch();
  }

  /** Whoever listened has gone; the next one often comes soon. */
  rest(): void {
    this.#linger ??= setTimeout(() => this.stop(), WATCH_LINGER_MS).unref();
  }

  stop(): void {
    for (const timer of [this.#poll, this.#rest, this.#linger]) clearTimeout(timer);
    this.#poll = this.#rest = this.#linger = undefined;
    this.#unwatch();
  }

  #watch(): void {
    try {
      this.#watcher = watch(this.#path, { persistent: false }, () => this.#hear());
      this.#watcher.on('error', () => this.#unwatch());
    } catch {
      // The file may be made anew, and a watch may fail at any time: the clock goes on, and tries it again.
    }
  }

  #unwatch(): void {
    this.#watcher?.close();
    this.#watcher = null;
  }

  /** The first sign is followed at once; more that come right after it are followed together. */
  #hear(): void {
    this.#isStale = this.#rest !== undefined;
    if (this.#isStale) return;
    this.#rest = setTimeout(() => {
      this.#rest = undefined;
      if (this.#isStale) this.#hear();
    }, FOREIGN_REST_MS).unref();
    this.#look();
  }

  #look(): void {
    if (!this.#watcher && this.#poll) this.#watch();
    try {
      if (!this.#hasChanged()) return;
    } catch {
      // A look that fails is news as well: whoever reads then meets the failure where it can be told and tried again.
    }
    this.#onNews();
  }
}
