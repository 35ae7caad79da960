import { constants } from 'node:fs';
import { closeFd, openFd } from './descriptor.js';

/** Without O_CREAT: a session that went to the trash must not come back as half a folder. */
const APPEND = constants.O_WRONLY | constants.O_APPEND;

interface Handle {
  fd: Promise<number>;
  users: number;
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

  /** Lends the file's descriptor to `work`. `fresh` says that it was opened for this call. */
  async use<T>(path: string, work: (fd: number, fresh: boolean) => Promise<T>): Promise<T> {
    const known = this.#handles.get(path);
    const handle = known ?? { fd: openFd(path, APPEND), users: 0 };
    this.#handles.delete(path);
    this.#handles.set(path, handle);
    handle.users++;
    try {
      return await work(await handle.fd, known === undefined);
    } catch (error) {
      if (this.#handles.get(path) === handle) this.#handles.delete(path);
      await this.#retire(handle, 1);
      throw error;
    } finally {
      handle.users--;
      await this.#trim();
    }
  }

  async drop(path: string): Promise<void> {
    const handle = this.#handles.get(path);
    if (!handle || handle.users > 0) return;
    this.#handles.delete(path);
    await this.#retire(handle, 0);
  }

  async close(): Promise<void> {
    for (const path of [...this.#handles.keys()]) await this.drop(path);
  }

  async #trim(): Promise<void> {
    if (this.#handles.size <= this.#limit) return;
    for (const [path, { users }] of this.#handles) {
      if (users === 0) return this.drop(path);
    }
  }

  /** Closes once the last user but `own` is gone. A file that could not be opened needs no closing. */
  async #retire(handle: Handle, own: number): Promise<void> {
    if (handle.users > own) return;
    const fd = await handle.fd.catch(() => null);
    if (fd !== null) await closeFd(fd);
  }
}
