/** Keeps the last `limit` bytes of a stream, in time linear in what was added and memory linear in the limit. */
export class ByteTail {
  readonly limit: number;
  #chunks: Buffer[] = [];
  #kept = 0;
  #isTruncated = false;

  constructor(limit: number) {
    this.limit = limit;
  }

  get isTruncated(): boolean {
    return this.#isTruncated;
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#kept += chunk.length;
    this.#isTruncated ||= this.#kept > this.limit;
    // Not before twice the limit: each cut copies the whole tail.
    if (this.#kept < 2 * this.limit) return;
    this.#chunks = [Buffer.from(this.#tail())];
    this.#kept = Math.min(this.#kept, this.limit);
  }

  clear(): void {
    this.#chunks = [];
    this.#kept = 0;
    this.#isTruncated = false;
  }

  /** A character that was cut in two at the start is left out. */
  get text(): string {
    const tail = this.#tail();
    let start = 0;
    if (this.#isTruncated) while (start < tail.length && ((tail[start] ?? 0) & 0xc0) === 0x80) start++;
    return tail.toString('utf8', start);
  }

  #tail(): Buffer {
    const all = Buffer.concat(this.#chunks);
    return all.subarray(Math.max(0, all.length - this.limit));
  }
}
