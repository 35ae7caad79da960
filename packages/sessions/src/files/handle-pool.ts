import { closeSync, constants, openSync } from 'node:fs';
import { FILE_MODE } from '../defaults.js';

/** Without O_CREAT: a session that went to the trash must not come back as half a folder. */
const APPEND = constants.O_WRONLY | constants.O_APPEND;
const NEW = APPEND | constants.O_CREAT | constants.O_EXCL;

/** Files open for appending, the least recently used closed first, so that ten thousand idle sessions hold none. */
export class HandlePool {
  readonly #limit: number;
  readonly #descriptors = new Map<string, number>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#descriptors.size;
  }

  has(path: string): boolean {
    return this.#descriptors.has(path);
  }

  /** The file's descriptor, opened when it is not open yet. To be used at once: at the next turn it may have been closed. */
  take(path: string): number {
    const fd = this.#descriptors.get(path) ?? openSync(path, APPEND);
    return this.#keep(path, fd);
  }

  /** The same of a file that must not exist yet. */
  create(path: string): number {
    return this.#keep(path, openSync(path, NEW, FILE_MODE));
  }

  /** The file has another name now. */
  rename(from: string, to: string): void {
    const fd = this.#descriptors.get(from);
    if (fd === undefined) return;
    this.#descriptors.delete(from);
    this.#descriptors.set(to, fd);
  }

  drop(path: string): void {
    const fd = this.#descriptors.get(path);
    if (fd === undefined) return;
    this.#descriptors.delete(path);
    closeSync(fd);
  }

  close(): void {
    for (const path of [...this.#descriptors.keys()]) this.drop(path);
  }

  /** As the one that was used last. */
  #keep(path: string, fd: number): number {
    this.#descriptors.delete(path);
    this.#descriptors.set(path, fd);
    if (this.#descriptors.size > this.#limit) {
      const [oldest] = this.#descriptors.keys();
      if (oldest !== undefined) this.drop(oldest);
    }
    return fd;
  }
}
