import { closeSync, constants, openSync } from 'node:fs';

/** Without O_CREAT: a session that went to the trash must not come back as half a folder. */
const APPEND = constants.O_WRONLY | constants.O_APPEND;

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
    this.#descriptors.delete(path);
    this.put(path, fd);
    return fd;
  }

  /** Takes over a descriptor that is open for appending. */
  put(path: string, fd: number): void {
    this.#descriptors.set(path, fd);
    if (this.#descriptors.size <= this.#limit) return;
    const [oldest] = this.#descriptors.keys();
    if (oldest !== undefined) this.drop(oldest);
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
}
