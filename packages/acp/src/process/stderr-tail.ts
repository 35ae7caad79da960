import type { Readable } from 'node:stream';
import { redactDiagnostics } from '@amplifier/core';
import { STDERR_BYTES, STDERR_TOLD_CHARACTERS } from '../defaults.js';

/** The end of an agent's error output since its last turn, without secrets. */
export class StderrTail {
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(stream: Readable) {
    stream.on('data', (chunk: Buffer) => this.#keep(chunk));
    stream.on('error', () => {});
  }

  /** Whoever comes next is not told again what was said before. */
  forget(): void {
    this.#chunks = [];
    this.#bytes = 0;
  }

  get text(): string {
    const all = Buffer.concat(this.#chunks).subarray(-STDERR_BYTES).toString('utf8');
    return redactDiagnostics(all).trim();
  }

  /** For a sentence to a person; empty when the agent was silent. */
  get told(): string {
    const { text } = this;
    if (text === '') return '';
    const end = text.length > STDERR_TOLD_CHARACTERS ? `…${text.slice(-STDERR_TOLD_CHARACTERS)}` : text;
    return ` Its error output ends: ${end}`;
  }

  #keep(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes < 2 * STDERR_BYTES) return;
    this.#chunks = [Buffer.concat(this.#chunks).subarray(-STDERR_BYTES)];
    this.#bytes = STDERR_BYTES;
  }
}
