import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { READ_CHUNK_BYTES } from '../defaults.js';
import { exists } from './folder.js';
import { type Journal, SEAL } from './journal.js';
import { isMissing } from './storage-error.js';

export interface Position {
  segment: number;
  offset: number;
}

export interface JournalLine {
  text: string;
  /** The place after it. */
  end: Position;
}

/** Reads a journal from a place on, and again from there whenever asked. */
export class JournalReader {
  readonly #journal: Journal;
  #position: Position;
  #fd: number | undefined;
  #isSealed = false;

  constructor(journal: Journal, position: Position) {
    this.#journal = journal;
    this.#position = position;
  }

  get position(): Position {
    return this.#position;
  }

  /** Passes over `own` when nothing else has been written since the last call. Nobody else's line is ever passed over. */
  pass(own: { segment: number; bytes: number }): void {
    const { segment, offset } = this.#position;
    if (this.#fd === undefined || own.segment !== segment || own.bytes === 0) return;
    const end = offset + own.bytes;
    if (fstatSync(this.#fd).size === end) this.#position = { segment, offset: end };
  }

  /** Whole lines since the last call; null when what comes next has been folded away. */
  async read(): Promise<JournalLine[] | null> {
    const lines: JournalLine[] = [];
    for (;;) {
      const fd = this.#open();
      if (fd === null) return null;
      const isThere = this.#drain(fd, lines);
      const next = this.#position.segment + 1;
      if (!exists(this.#journal.path(next))) return isThere ? lines : null;
      if (!this.#isSealed) {
        await this.#journal.seal(this.#position.segment);
        this.#drain(fd, lines);
      }
      this.close();
      this.#position = { segment: next, offset: 0 };
    }
  }

  close(): void {
    const fd = this.#fd;
    this.#fd = undefined;
    this.#isSealed = false;
    if (fd !== undefined) closeSync(fd);
  }

  /** Takes what is there. False when the segment has lost its name: it is read to the end, but others follow. */
  #drain(fd: number, lines: JournalLine[]): boolean {
    const { size, nlink } = fstatSync(fd);
    const { segment } = this.#position;
    let { offset } = this.#position;
    let rest: Buffer = Buffer.alloc(0);
    for (let at = offset; at < size && !this.#isSealed; ) {
      const room = Buffer.allocUnsafe(Math.min(READ_CHUNK_BYTES, size - at));
      const chunk = room.subarray(0, readSync(fd, room, 0, room.length, at));
      if (chunk.length === 0) break;
      at += chunk.length;
      const block = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      let start = 0;
      for (let newline = block.indexOf(10); newline >= 0; newline = block.indexOf(10, start)) {
        offset += newline + 1 - start;
        const text = block.toString('utf8', start, newline);
        start = newline + 1;
        this.#isSealed = text === SEAL;
        if (this.#isSealed) break;
        if (text !== '') lines.push({ text, end: { segment, offset } });
      }
      rest = block.subarray(start);
    }
    this.#position = { segment, offset };
    return nlink > 0;
  }

  #open(): number | null {
    if (this.#fd !== undefined) return this.#fd;
    try {
      this.#fd = openSync(this.#journal.path(this.#position.segment), 'r');
      return this.#fd;
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }
}
