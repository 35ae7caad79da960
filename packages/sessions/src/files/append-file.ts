import { ftruncateSync } from 'node:fs';
import { hasCode, SessionError } from '../session-error.js';
import { writeAllAt } from './descriptor.js';
import type { Handle, HandlePool } from './handle-pool.js';
import { storageError } from './storage-error.js';

interface Waiting {
  text: string;
  resolve: () => void;
  reject: (error: unknown) => void;
}

export interface AppendFileOptions {
  path: string;
  /** The file's length in whole lines. */
  size: number;
  pool: HandlePool;
  /** Makes bytes that were written at `offset` last. */
  flush: (bytes: Buffer, offset: number) => Promise<void>;
  /** Rejects when this process no longer owns the file. Asked before a fresh handle is written and after each flush. */
  confirm?: (() => Promise<void>) | undefined;
  /** Told of each stretch of bytes that reached the disk. */
  onCommit: (from: number, to: number) => void;
}

/**
 * A file with one writer and group commit: everything appended while a flush is under way shares the next one.
 * After a failed write it refuses all further ones, because what reached the disk is then known only by reading it.
 */
export class AppendFile {
  readonly #options: AppendFileOptions;
  #size: number;
  #waiting: Waiting[] = [];
  #flushing: Promise<void> | undefined;
  #failure: unknown;

  constructor(options: AppendFileOptions) {
    this.#options = options;
    this.#size = options.size;
  }

  /** Bytes known to be on disk. */
  get size(): number {
    return this.#size;
  }

  /** `text` must be whole lines. Resolves when they are on disk. */
  append(text: string): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#refusal());
    return new Promise((resolve, reject) => {
      this.#waiting.push({ text, resolve, reject });
      this.#flushing ??= this.#flush();
    });
  }

  /** Waits for all that was appended so far, whatever becomes of it. */
  async settle(): Promise<void> {
    await this.#flushing;
  }

  async #flush(): Promise<void> {
    // Lets every append of this tick join the first flush.
    await null;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        await this.#commit(
          batch.length === 1 ? (batch[0]?.text ?? '') : batch.map(({ text }) => text).join(''),
        );
        for (const { resolve } of batch) resolve();
      } catch (error) {
        this.#failure = error;
        for (const { reject } of [...batch, ...this.#waiting]) reject(error);
        this.#waiting = [];
      }
    }
    this.#flushing = undefined;
  }

  async #commit(text: string): Promise<void> {
    const { path, flush, confirm, onCommit } = this.#options;
    const bytes = Buffer.from(text);
    const from = this.#size;
    try {
      await this.#write(bytes);
      await flush(bytes, from);
      await confirm?.();
    } catch (error) {
      throw storageError(error, 'append to', path);
    }
    this.#size = from + bytes.length;
    onCommit(from, this.#size);
  }

  /** A newer owner replaces the file. So it is opened first, and this process asked after that whether it is the owner. */
  async #write(bytes: Buffer): Promise<void> {
    const { path, pool, confirm } = this.#options;
    for (;;) {
      const known = pool.get(path);
      const handle = pool.take(path);
      if (!known && confirm) await confirm();
      if (pool.get(path) === handle) return this.#append(handle, bytes);
    }
  }

  #append({ fd }: Handle, bytes: Buffer): void {
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
