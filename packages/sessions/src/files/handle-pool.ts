import { closeSync, constants, openSync } from 'node:fs';

/** Without O_CREAT: a session that went to the trash must not come back as half a folder. */
const APPEND = constants.O_WRONLY | constants.O_APPEND;

/** A file open for appending. `fd` must be used before the next wait: after it the file may have been closed. */
export interface Handle {
  readonly fd: number;
}

/** Files open for appending, the least recently used closed first, so that ten thousand idle sessions hold none. */
export class HandlePool {
  readonly #limit: number;
  readonly #handles = new Map<string, Handle>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#handles.size;
  }

  get(path: string): Handle | undefined {
    return this.#handles.get(path);
  }

  /** The file's handle, opened when it is not open yet. */
  take(path: string): Handle {
    const handle = this.#handles.get(path) ?? { fd: openSync(path, APPEND) };
    this.#handles.delete(path);
    this.#handles.set(path, handle);
    const [oldest] = this.#handles.keys();
    if (this.#handles.size > this.#limit && oldest !== undefined) this.drop(oldest);
    return handle;
  }

  drop(path: string): void {
    const handle = this.#handles.get(path);
    if (!handle) return;
    this.#handles.delete(path);
    closeSync(handle.fd);
  }

  close(): void {
    for (const path of [...this.#handles.keys()]) this.drop(path);
  }
}
