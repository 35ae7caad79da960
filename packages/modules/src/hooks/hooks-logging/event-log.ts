import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Lines for a file, written in order, many at a time. Never makes its caller wait and never throws: the first failure
 * is told once, and the log is silent from then on.
 */
export class EventLog {
  #path: string;
  #onFailure: (error: unknown) => void;
  #waiting: string[] = [];
  #writing: Promise<void> | undefined;
  #file: FileHandle | undefined;
  #failed = false;

  constructor(path: string, onFailure: (error: unknown) => void) {
    this.#path = path;
    this.#onFailure = onFailure;
  }

  append(line: string): void {
    if (this.#failed) return;
    this.#waiting.push(line);
    this.#writing ??= this.#write();
  }

  /** Resolves when everything is written and the file is closed. */
  async close(): Promise<void> {
    await this.#writing;
    await this.#file?.close();
    this.#file = undefined;
  }

  async #write(): Promise<void> {
    try {
      this.#file ??= await openForAppend(this.#path);
      while (this.#waiting.length > 0) await this.#file.appendFile(this.#waiting.splice(0).join(''));
    } catch (error) {
      this.#failed = true;
      this.#waiting = [];
      this.#onFailure(error);
    } finally {
      this.#writing = undefined;
    }
  }
}

async function openForAppend(path: string): Promise<FileHandle> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  return open(path, 'a', 0o600);
}
