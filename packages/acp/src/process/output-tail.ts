import type { Readable } from 'node:stream';
import { redactDiagnostics } from '@amplifier/core';
import { STDERR_BYTES, STDERR_TOLD_CHARACTERS } from '../defaults.js';

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

/** The end of an agent's error output since its last turn, without secrets. */
export class StderrTail {
  #tail = new ByteTail(STDERR_BYTES);

  constructor(stream: Readable) {
    stream.on('data', (chunk: Buffer) => this.#tail.add(chunk));
    stream.on('error', () => {});
  }

  /** Must be called between turns, so that a turn does not report output of the one before. */
  forget(): void {
    this.#tail.clear();
  }

  get text(): string {
    return redactDiagnostics(this.#tail.text).trim();
  }

  /** For a sentence to a person; empty when the agent was silent. */
  get told(): string {
    const { text } = this;
    if (text === '') return '';
    const end = text.length > STDERR_TOLD_CHARACTERS ? `…${text.slice(-STDERR_TOLD_CHARACTERS)}` : text;
    return ` Its error output ends: ${end}`;
  }
}
