import { closeSync, fdatasync, openSync } from 'node:fs';

/**
 * Syncs the write-ahead log of a SQLite file, which makes every commit before it survive a power cut. Runs off the event loop;
 * callers that wait at the same time share a sync. SQLite holds no locks on the log, so that opening it here is safe.
 */
export class WalSync {
  readonly #path: string;
  #file: number | null = null;
  #isDirty = false;
  #running: Promise<void> | null = null;
  #next: Promise<void> | null = null;
  /** Set once a sync failed: the system may have dropped what it could not write, so that a later sync proves nothing. */
  failure: unknown;
  count = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** There is a commit that has not been synced. */
  touch(): void {
    this.#isDirty = true;
  }

  /** Resolves when every commit before the call is on disk. */
  sync(): Promise<void> {
    if (this.failure !== undefined) return Promise.reject(this.failure);
    if (this.#next) return this.#next;
    if (!this.#isDirty) return this.#running ?? Promise.resolve();
    // A sync that has begun may not cover the last commit.
    if (this.#running) {
      this.#next = this.#running.then(() => {
        this.#next = null;
        return this.#start();
      });
      return this.#next;
    }
    return this.#start();
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }

  #start(): Promise<void> {
    this.#isDirty = false;
    this.count++;
    this.#running = new Promise<void>((resolve, reject) => {
      const done = (error: Error | null) => {
        this.#running = null;
        if (!error) return resolve();
        this.failure = error;
        reject(error);
      };
      try {
        this.#file ??= openSync(this.#path, 'r');
      } catch (error) {
        return done(error as Error);
      }
      fdatasync(this.#file, done);
    });
    return this.#running;
  }
}
