/** Bytes in the pieces they are sent in. Pieces may be shared, so nobody may change them. */
export type Pieces = readonly Uint8Array<ArrayBuffer>[];

/** The most recently used values, up to a total size. A piece that several share counts for each of them. */
export class ByteCache<Value extends Pieces | string = Pieces> {
  readonly #limit: number;
  readonly #entries = new Map<string, Value>();
  #size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: string): Value | undefined {
    const found = this.#entries.get(key);
    if (found === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, found);
    return found;
  }

  set(key: string, value: Value): void {
    this.delete(key);
    const size = sizeOf(value);
    if (size > this.#limit) return;
    this.#entries.set(key, value);
    this.#size += size;
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= this.#limit) return;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const found = this.#entries.get(key);
    if (found === undefined) return;
    this.#entries.delete(key);
    this.#size -= sizeOf(found);
  }
}

/** Of a text: its characters, which most of it has one byte for. */
export function sizeOf(value: Pieces | string): number {
  if (typeof value === 'string') return value.length;
  return value.reduce((sum, { length }) => sum + length, 0);
}
