/** The most recently used byte arrays, up to a total size. */
export class ByteCache {
  readonly #limit: number;
  readonly #entries = new Map<string, Uint8Array<ArrayBuffer>>();
  #size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: string): Uint8Array<ArrayBuffer> | undefined {
    const found = this.#entries.get(key);
    if (!found) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, found);
    return found;
  }

  set(key: string, bytes: Uint8Array<ArrayBuffer>): void {
    this.delete(key);
    if (bytes.length > this.#limit) return;
    this.#entries.set(key, bytes);
    this.#size += bytes.length;
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= this.#limit) return;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const found = this.#entries.get(key);
    if (!found) return;
    this.#entries.delete(key);
    this.#size -= found.length;
  }
}
