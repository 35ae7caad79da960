import { closeSync, fstatSync, openSync } from 'node:fs';
import { isPlainObject } from '@amplifier/core';
import { READ_CHUNK_BYTES, TAIL_CHUNK_BYTES } from '../defaults.js';
import { readAt } from './descriptor.js';
import { corrupt } from './storage-error.js';

const NEWLINE = 10;

/** Several ordinary lines. Halving a long file takes a dozen such reads. */
const PROBE_BYTES = 8 * 1024;

export interface Line<T> {
  value: T;
  start: number;
  end: number;
}

/** A file of JSON lines, opened for reading. Only whole lines exist here: a torn end lies past `end`. */
export class LineFile<T> {
  readonly path: string;
  readonly end: number;
  /** The file's length, which is more than `end` while a line is being written or when one is torn. */
  readonly size: number;
  readonly #fd: number;

  private constructor(path: string, fd: number, end: number, size: number) {
    this.path = path;
    this.#fd = fd;
    this.end = end;
    this.size = size;
  }

  /** `limit` hides everything from that byte on; it must be the end of a line. */
  static async open<T>(path: string, limit = Number.POSITIVE_INFINITY): Promise<LineFile<T>> {
    const fd = openSync(path, 'r');
    try {
      const { size } = fstatSync(fd);
      const end = limit <= size ? limit : await wholeEnd(fd, size);
      return new LineFile(path, fd, end, size);
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }

  close(): void {
    closeSync(this.#fd);
  }

  /** Lines from byte `from`, which must begin one. */
  async *forward(from = 0, to = this.end): AsyncGenerator<Line<T>> {
    let rest: Buffer = Buffer.alloc(0);
    for (let position = from; position < to; ) {
      const chunk = await readAt(this.#fd, position, Math.min(READ_CHUNK_BYTES, to - position));
      if (chunk.length === 0) throw await this.#damage(position, 'the file became shorter while it was read');
      const block = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const base = position - rest.length;
      position += chunk.length;
      let start = 0;
      for (let newline = block.indexOf(NEWLINE); newline >= 0; newline = block.indexOf(NEWLINE, start)) {
        const value = await this.#parse(block.subarray(start, newline), base + start);
        yield { value, start: base + start, end: base + newline + 1 };
        start = newline + 1;
      }
      rest = block.subarray(start);
    }
  }

  /** Does a line begin here, or end the file? */
  async isLineStart(offset: number): Promise<boolean> {
    return offset === 0 || (offset <= this.end && (await readAt(this.#fd, offset - 1, 1))[0] === NEWLINE);
  }

  /** The last `count` lines, in order. Reads no more than it needs. */
  async backward(count: number): Promise<Line<T>[]> {
    const lines: Line<T>[] = [];
    let block: Buffer = Buffer.alloc(0);
    let start = this.end;
    for (let size = TAIL_CHUNK_BYTES; start > 0 && lines.length < count; size *= 2) {
      const length = Math.min(size, start);
      block = Buffer.concat([await readAt(this.#fd, start - length, length), block]);
      start -= length;
      block = await this.#takeFromEnd(block, start, lines, count);
    }
    return lines.reverse();
  }

  /** Where the first line begins for which `isPast` holds; `end` when there is none. It must stay true once it is. */
  async seek(isPast: (value: T) => boolean): Promise<number> {
    let low = 0;
    let answer = this.end;
    let top = this.end;
    while (top - low > TAIL_CHUNK_BYTES) {
      const middle = Math.floor((low + top) / 2);
      const line = await this.#lineAfter(middle, top);
      if (line === null) top = middle;
      else if (isPast(line.value)) {
        answer = line.start;
        top = middle;
      } else low = line.end;
    }
    for await (const line of this.forward(low, answer)) if (isPast(line.value)) return line.start;
    return answer;
  }

  /** What follows the last whole line. */
  async torn(): Promise<string> {
    return (await readAt(this.#fd, this.end, this.size - this.end)).toString('utf8');
  }

  /** The number of the line that begins at `offset`. Reads from the start, so it is only for messages about damage. */
  async lineNumber(offset: number): Promise<number> {
    let count = 1;
    for (let position = 0; position < offset; ) {
      const chunk = await readAt(this.#fd, position, Math.min(READ_CHUNK_BYTES, offset - position));
      if (chunk.length === 0) break;
      position += chunk.length;
      for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) count++;
    }
    return count;
  }

  /** Parses whole lines off the end of `block`, which begins at byte `start`, and returns what is left of it. */
  async #takeFromEnd(block: Buffer, start: number, lines: Line<T>[], count: number): Promise<Buffer> {
    let rest = block;
    while (rest.length > 0 && lines.length < count) {
      const newline = rest.length < 2 ? -1 : rest.lastIndexOf(NEWLINE, rest.length - 2);
      if (newline < 0 && start > 0) break;
      const lineStart = start + newline + 1;
      const value = await this.#parse(rest.subarray(newline + 1, rest.length - 1), lineStart);
      lines.push({ value, start: lineStart, end: start + rest.length });
      rest = rest.subarray(0, newline + 1);
    }
    return rest;
  }

  /** The first line that begins after byte `from` and before `to`. One small read finds an ordinary line. */
  async #lineAfter(from: number, to: number): Promise<Line<T> | null> {
    for (let size = PROBE_BYTES; ; size *= 4) {
      const block = await readAt(this.#fd, from, Math.min(size, this.end - from));
      const before = block.indexOf(NEWLINE);
      const start = from + before + 1;
      if (before >= 0 && start >= to) return null;
      const after = before < 0 ? -1 : block.indexOf(NEWLINE, before + 1);
      if (after >= 0) {
        const value = await this.#parse(block.subarray(before + 1, after), start);
        return { value, start, end: from + after + 1 };
      }
      if (from + block.length >= this.end || (before < 0 && from + block.length >= to)) return null;
    }
  }

  async #parse(text: Buffer, start: number): Promise<T> {
    let value: unknown;
    try {
      value = JSON.parse(text.toString('utf8'));
    } catch (error) {
      throw await this.#damage(start, 'this line is not JSON', error);
    }
    if (isPlainObject(value)) return value as T;
    throw await this.#damage(start, 'this line is not a JSON object');
  }

  async #damage(offset: number, what: string, cause?: unknown): Promise<Error> {
    return corrupt(this.path, await this.lineNumber(offset), what, cause);
  }
}

export async function withLines<T, R>(
  path: string,
  limit: number | undefined,
  work: (file: LineFile<T>) => Promise<R>,
): Promise<R> {
  const file = await LineFile.open<T>(path, limit);
  try {
    return await work(file);
  } finally {
    file.close();
  }
}

/** Where the last whole line ends. */
async function wholeEnd(fd: number, size: number): Promise<number> {
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - (end === size ? 1 : TAIL_CHUNK_BYTES));
    const newline = (await readAt(fd, start, end - start)).lastIndexOf(NEWLINE);
    if (newline >= 0) return start + newline + 1;
    end = start;
  }
  return 0;
}
