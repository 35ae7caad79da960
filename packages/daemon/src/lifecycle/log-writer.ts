import { appendFileSync, closeSync, openSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { errorInfo } from '@amplifier/core';
import { FILE_MODE, LOG_BUFFER_BYTES, LOG_FLUSH_MS, LOG_MAX_BUFFER } from '../defaults.js';

/**
 * Writes lines to a file in blocks and never holds anybody up: on a disk that is full, lines are lost, the daemon is not. What is left
 * when the process exits is written then. `pino.destination` would keep the file open, so that lines after a rotation went to the old
 * file, and sync the disk with each warning.
 */
export class LogWriter {
  readonly #file: string;
  #held = '';
  #writing: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #failure: string | null = null;
  #lost = 0;

  constructor(file: string) {
    this.#file = file;
    closeSync(openSync(file, 'a', FILE_MODE));
    process.once('exit', this.#atExit);
  }

  /** Why the last block could not be written; null when it was. */
  get failure(): string | null {
    return this.#failure;
  }

  write(line: string): void {
    if (this.#held.length + line.length > LOG_MAX_BUFFER) {
      this.#lost++;
      return;
    }
    this.#held += line;
    if (this.#held.length >= LOG_BUFFER_BYTES) void this.#drain();
    else this.#timer ??= setTimeout(() => void this.#drain(), LOG_FLUSH_MS).unref();
  }

  flush(done?: () => void): void {
    this.#drain().then(done);
  }

  close(): Promise<void> {
    process.off('exit', this.#atExit);
    return this.#drain();
  }

  async #drain(): Promise<void> {
    while (this.#writing) await this.#writing;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#held === '') return;
    this.#writing = this.#writeBlock();
    await this.#writing;
  }

  async #writeBlock(): Promise<void> {
    const lost =
      this.#lost === 0
        ? ''
        : `${JSON.stringify({ level: 40, time: new Date().toISOString(), msg: `${this.#lost} lines were lost: ${this.#failure}` })}\n`;
    const block = `${lost}${this.#held}`;
    this.#held = '';
    try {
      await appendFile(this.#file, block, { mode: FILE_MODE });
      this.#failure = null;
      this.#lost = 0;
    } catch (error) {
      this.#failure = errorInfo(error).message;
      this.#lost += block.split('\n').length - 1;
    } finally {
      this.#writing = null;
    }
  }

  readonly #atExit = (): void => {
    try {
      if (this.#held !== '') appendFileSync(this.#file, this.#held);
    } catch {
      // The process is over; there is nobody left to tell.
    }
  };
}
