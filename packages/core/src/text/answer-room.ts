import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** Characters of an answer that are kept with the session: a long book. No model reads more in one go, and every reader has to carry it. */
export const MAX_ANSWER_CHARACTERS = 1_000_000;
/** Characters of what was cut off an answer that are kept in a file. */
const MAX_ANSWER_SPILL = 64_000_000;

/**
 * How much of an answer is kept with the session. What is said beyond that goes to a file in `folder`, once, so that nobody has to carry
 * it; where there is no folder it is counted and dropped.
 */
export class AnswerRoom {
  readonly #folder: string | null;
  #left = MAX_ANSWER_CHARACTERS;
  #over = 0;
  #file: string | null = null;

  constructor(folder: string | null) {
    this.#folder = folder;
  }

  /** The part that is kept. */
  take(text: string): string {
    if (text.length <= this.#left) {
      this.#left -= text.length;
      return text;
    }
    const kept = text.slice(0, this.#left).toWellFormed();
    this.#spill(text.slice(this.#left));
    this.#left = 0;
    return kept;
  }

  /** What the reader of a cut answer must know; empty when nothing was cut. */
  get note(): string {
    if (this.#over === 0) return '';
    const rest = `The answer was cut after ${MAX_ANSWER_CHARACTERS} characters; ${this.#over} more were said.`;
    return `\n\n[${rest}${this.#file === null ? '' : ` They are in ${this.#file}.`}]`;
  }

  #spill(text: string): void {
    const room = MAX_ANSWER_SPILL - this.#over;
    this.#over += text.length;
    if (room <= 0 || this.#folder === null) return;
    this.#file ??= join(this.#folder, `${randomUUID()}.txt`);
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      appendFileSync(this.#file, text.slice(0, room), { mode: 0o600 });
    } catch {
      // A full disk costs the rest of the answer, not the answer: the note then names no file.
      this.#file = null;
      this.#over = Math.max(this.#over, MAX_ANSWER_SPILL);
    }
  }
}
