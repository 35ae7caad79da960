/** Keeps the last bytes of a stream until they are taken, and counts those it had to let go. */
export class RecentOutput {
  #limit: number;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #dropped = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    while (this.#bytes > this.#limit) {
      const [first = Buffer.alloc(0)] = this.#chunks;
      const excess = Math.min(first.length, this.#bytes - this.#limit);
      if (excess === first.length) this.#chunks.shift();
      else this.#chunks[0] = first.subarray(excess);
      this.#bytes -= excess;
      this.#dropped += excess;
    }
  }

  take(): string {
    const text = Buffer.concat(this.#chunks.splice(0)).toString('utf8');
    const dropped = this.#dropped;
    this.#bytes = 0;
    this.#dropped = 0;
    return dropped === 0
      ? text
      : `[${dropped} bytes before this were not kept]\n${text.replace(/^\uFFFD+/, '')}`;
  }
}
