import type { Readable } from 'node:stream';
import { redactDiagnostics } from '@amplifier/core';
import { STDERR_BYTES, STDERR_TOLD_CHARACTERS } from '../defaults.js';
import { ByteTail } from './byte-tail.js';

/** The end of an agent's error output since its last turn, without secrets. */
export class StderrTail {
  #tail = new ByteTail(STDERR_BYTES);

  constructor(stream: Readable) {
    stream.on('data', (chunk: Buffer) => this.#tail.add(chunk));
    stream.on('error', () => {});
  }

  /** Whoever comes next is not told again what was said before. */
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
