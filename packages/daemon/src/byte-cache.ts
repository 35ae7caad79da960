/** Bytes in the pieces they are sent in. Pieces may be shared, so nobody may change them. */
export type Pieces = readonly Uint8Array<ArrayBuffer>[];

/** The most recently used bytes, up to a total size. A piece that several share counts for each of them. */
export class ByteCache {
  readonly #limit: number;
  readonly #entries = new Map<string, Pieces>();
  #size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: string): Pieces | undefined {
    const found = this.#entries.get(key);
    if (!found) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, found);
    return found;
  }

  set(key: string, pieces: Pieces): void {
    this.delete(key);
    const size = sizeOf(pieces);
    if (size > this.#limit) return;
    this.#entries.set(key, pieces);
    this.#size += size;
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= this.#limit) return;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const found = this.#entries.get(key);
    if (!found) return;
    this.#entries.delete(key);
    this.#size -= sizeOf(found);
  }
}

export function sizeOf(pieces: Pieces): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}
