import { type FileHandle, open } from 'node:fs/promises';
import { errorInfo } from '@amplifier/core';

export interface OutputLimits {
  /** Kept in memory: half of it for the beginning, half for the end. */
  memoryBytes: number;
  /** Where everything goes once it no longer fits in memory. Absent: what does not fit is dropped. */
  spillFile?: string | undefined;
  /** The most that is written there. */
  spillBytes: number;
}

/** What a command wrote, as far as it was kept. */
export interface CollectedOutput {
  /** All of it, or its beginning and its end with a note between them. Bytes that are not UTF-8 show as U+FFFD. */
  text: string;
  /** How much was written in all. */
  bytes: number;
  /** Is there more than `text` shows? */
  truncated: boolean;
  /** The file that holds everything from the first byte on, when not all is in `text`. */
  spill_path: string | null;
  /** How much of it is in that file. */
  spill_bytes: number;
  /** Why the file is not complete, when it is not. */
  spill_error: string | null;
}

/** Takes any amount of output in bounded memory. Must be closed. */
export class BoundedOutput {
  readonly #limits: OutputLimits;
  readonly #half: number;
  #head: Buffer[] = [];
  #headBytes = 0;
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #bytes = 0;
  #file: FileHandle | null = null;
  #spilled = 0;
  #spillError: string | null = null;

  constructor(limits: OutputLimits) {
    this.#limits = limits;
    this.#half = Math.max(1, Math.floor(limits.memoryBytes / 2));
  }

  /** Must be awaited before the next one: a slow disk slows the command down instead of filling memory. */
  async push(chunk: Buffer): Promise<void> {
    const fitted = this.#bytes <= this.#half * 2;
    const before = fitted ? [...this.#head, ...this.#tail] : [];
    this.#bytes += chunk.length;
    this.#remember(chunk);
    if (this.#bytes <= this.#half * 2) return;
    if (fitted) await this.#openSpill();
    await this.#spill(fitted ? Buffer.concat([...before, chunk]) : chunk);
  }

  async close(): Promise<CollectedOutput> {
    await this.#file?.close();
    const truncated = this.#bytes > this.#half * 2;
    const head = Buffer.concat(this.#head);
    const tail = Buffer.concat(this.#tail);
    const spill_path = truncated && this.#file ? (this.#limits.spillFile ?? null) : null;
    return {
      text: truncated
        ? joinEnds(head, tail, this.#bytes, spill_path)
        : Buffer.concat([head, tail]).toString(),
      bytes: this.#bytes,
      truncated,
      spill_path,
      spill_bytes: this.#spilled,
      spill_error: this.#spillError,
    };
  }

  #remember(chunk: Buffer): void {
    const forHead = chunk.subarray(0, this.#half - this.#headBytes);
    // Copies: a slice would keep the whole chunk alive.
    if (forHead.length > 0) this.#head.push(Buffer.from(forHead));
    this.#headBytes += forHead.length;
    const forTail = chunk.subarray(forHead.length).subarray(-this.#half);
    if (forTail.length === 0) return;
    this.#tail.push(Buffer.from(forTail));
    this.#tailBytes += forTail.length;
    for (let first = this.#tail[0]; first && this.#tailBytes > this.#half; first = this.#tail[0]) {
      const excess = this.#tailBytes - this.#half;
      if (first.length > excess) this.#tail[0] = first.subarray(excess);
      else this.#tail.shift();
      this.#tailBytes -= Math.min(first.length, excess);
    }
  }

  async #openSpill(): Promise<void> {
    if (this.#limits.spillFile === undefined) return;
    try {
      this.#file = await open(this.#limits.spillFile, 'wx', 0o600);
    } catch (error) {
      this.#spillError = errorInfo(error).message;
    }
  }

  async #spill(chunk: Buffer): Promise<void> {
    if (!this.#file || this.#spillError !== null) return;
    const part = chunk.subarray(0, this.#limits.spillBytes - this.#spilled);
    try {
      await this.#file.writeFile(part);
      this.#spilled += part.length;
      if (part.length < chunk.length)
        this.#spillError = `The file was cut at its limit of ${this.#limits.spillBytes} bytes.`;
    } catch (error) {
      this.#spillError = errorInfo(error).message;
    }
  }
}

function joinEnds(head: Buffer, tail: Buffer, bytes: number, spillPath: string | null): string {
  const start = head.subarray(0, head.length - brokenEnd(head)).toString();
  const end = tail.subarray(brokenStart(tail)).toString();
  const left = bytes - Buffer.byteLength(start) - Buffer.byteLength(end);
  const where = spillPath === null ? '' : `; all of it is in ${spillPath}`;
  return `${start}\n[${left} of ${bytes} bytes left out${where}]\n${end}`;
}

/** How many bytes at the end begin a character that the cut took apart. */
function brokenEnd(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number;
    if ((byte & 0b1100_0000) === 0b1000_0000) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

/** How many bytes at the start end a character that the cut took apart. */
function brokenStart(bytes: Buffer): number {
  let count = 0;
  while (count < Math.min(3, bytes.length) && ((bytes[count] as number) & 0b1100_0000) === 0b1000_0000)
    count++;
  return count;
}
