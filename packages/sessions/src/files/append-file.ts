import { ftruncateSync } from 'node:fs';
import { hasCode, SessionError } from '../session-error.js';
import { writeAllAt } from './descriptor.js';
import type { HandlePool } from './handle-pool.js';
import { storageError } from './storage-error.js';

export interface AppendFileOptions {
  path: string;
  /** The file's length in whole lines. */
  size: number;
  pool: HandlePool;
  /** Makes bytes that were written at `offset` last. Must resolve in the order of the calls. */
  flush: (bytes: Buffer, offset: number) => Promise<unknown>;
  /** Throws when this process no longer owns the file. Asked before a fresh handle is written and after each flush. */
  confirm?: (() => void) | undefined;
  /** Told of each stretch of bytes that reached the disk. */
  onCommit: (from: number, to: number) => void;
}

/**
 * A file with one writer. What is appended is written before the call returns, so that the files of a process tell one
 * story in one order, and acknowledged when it was flushed. After a failed write it refuses all further ones, because what
 * reached the disk is then known only by reading it.
 */
export class AppendFile {
  readonly #options: AppendFileOptions;
  #size: number;
  #last: Promise<void> = Promise.resolve();
  #failure: unknown;

  constructor(options: AppendFileOptions) {
    this.#options = options;
    this.#size = options.size;
  }

  /** `text` must be whole lines. Resolves when they are on disk. */
  append(text: string): Promise<void> {
    this.#last = this.#append(text);
    return this.#last;
  }

  /** The bytes of all that was appended, what is under way included. */
  get size(): number {
    return this.#size;
  }

  /** Waits for all that was appended so far. Rejects when the last of it, and so perhaps more, could not be kept. */
  settle(): Promise<void> {
    return this.#last;
  }

  async #append(text: string): Promise<void> {
    if (this.#failure !== undefined) throw this.#refusal();
    const { path, flush, confirm, onCommit } = this.#options;
    const bytes = Buffer.from(text);
    const from = this.#size;
    try {
      this.#write(bytes);
      this.#size = from + bytes.length;
      await flush(bytes, from);
      confirm?.();
    } catch (error) {
      this.#failure ??= storageError(error, 'append to', path);
      throw this.#failure;
    }
    onCommit(from, from + bytes.length);
  }

  #write(bytes: Buffer): void {
    const { path, pool, confirm } = this.#options;
    const isOpen = pool.has(path);
    const fd = pool.take(path);
    // A newer owner replaces the file. So it is opened first, and asked after that whether this process is still the owner.
    if (!isOpen) confirm?.();
    try {
      writeAllAt(fd, bytes, null);
    } catch (error) {
      // Half a line would be cut by the next owner anyway; cutting it now keeps the file whole for readers.
      cutQuietly(fd, this.#size);
      throw error;
    }
  }

  #refusal(): unknown {
    if (hasCode(this.#failure, 'FENCED')) return this.#failure;
    return new SessionError(
      `${this.#options.path} takes nothing more since a write to it failed. Close the session's log and open it again.`,
      { code: 'LOG_BROKEN', origin: this.#options.path, cause: this.#failure },
    );
  }
}

/** The write's own error is the one to tell. */
function cutQuietly(fd: number, size: number): void {
  try {
    ftruncateSync(fd, size);
  } catch {
    // A torn line stays behind, and the next owner cuts it.
  }
}
