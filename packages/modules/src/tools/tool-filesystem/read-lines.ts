import type { FileHandle } from 'node:fs/promises';
import { BINARY_PROBE_BYTES, READ_LINE_CHARACTERS, READ_MAX_BYTES, READ_SCAN_BYTES } from '../defaults.js';

/** Read at once. */
const CHUNK_BYTES = 256 * 1024;

export interface LineWindow {
  lines: string[];
  /** The number of the first line, counted from one. */
  first: number;
  /** Null when the end of the file was not reached. */
  total: number | null;
  /** The lines end where the search ended, not where the window does. */
  isCut?: boolean;
}

/** The first bytes of a file: enough to tell what it is. */
export async function readStart(file: FileHandle): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(BINARY_PROBE_BYTES), 0, BINARY_PROBE_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}

/** Reads a window of lines in bounded memory, however long the file or its lines are. */
export async function readLines(file: FileHandle, first: number, count: number): Promise<LineWindow> {
  const lines: string[] = [];
  let number = 1;
  let bytes = 0;
  let scanned = 0;
  let line: Buffer[] = [];
  let lineBytes = 0;
  let dropped = 0;

  const inWindow = () => number >= first && lines.length < count && bytes < READ_MAX_BYTES;
  const take = (part: Buffer) => {
    if (!inWindow()) return;
    const kept = part.subarray(0, Math.max(0, READ_LINE_CHARACTERS - lineBytes));
    if (kept.length > 0) line.push(Buffer.from(kept));
    lineBytes += kept.length;
    dropped += part.length - kept.length;
  };
  const endLine = () => {
    if (inWindow()) {
      lines.push(lineText(line, dropped));
      bytes += lineBytes;
    }
    line = [];
    lineBytes = 0;
    dropped = 0;
    number++;
  };

  let endsWithBreak = true;
  // Not a stream: leaving one early closes the file, which its caller still uses.
  const buffer = Buffer.alloc(CHUNK_BYTES);
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, scanned);
    if (bytesRead === 0) break;
    const chunk = buffer.subarray(0, bytesRead);
    let from = 0;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      take(chunk.subarray(from, at));
      endLine();
      from = at + 1;
    }
    if (from < chunk.length) take(chunk.subarray(from));
    endsWithBreak = from === chunk.length;
    scanned += chunk.length;
    if (scanned >= READ_SCAN_BYTES) {
      const { size } = await file.stat();
      if (size <= scanned) continue;
      const isCut = inWindow();
      // The rest of the file may belong to this line.
      if (isCut && !endsWithBreak) lines.push(lineText(line, dropped + size - scanned, 'up to '));
      return { lines, first, total: null, isCut };
    }
  }
  if (!endsWithBreak) endLine();
  return { lines, first, total: number - 1 };
}

/** The same of a text that is there already. */
export function lineWindow(text: string, first: number, count: number): LineWindow {
  const all = text === '' ? [] : text.replace(/\n$/, '').split('\n');
  const lines: string[] = [];
  let bytes = 0;
  for (const line of all.slice(first - 1, first - 1 + count)) {
    if (bytes >= READ_MAX_BYTES) break;
    const part = Buffer.from(line);
    const kept = part.subarray(0, READ_LINE_CHARACTERS);
    lines.push(lineText([kept], part.length - kept.length));
    bytes += kept.length;
  }
  return { lines, first, total: all.length };
}

function lineText(parts: Buffer[], dropped: number, bound = ''): string {
  const text = Buffer.concat(parts).toString('utf8').replace(/\r$/, '');
  if (dropped === 0) return text;
  return `${text.replace(/\uFFFD+$/, '')}… [${bound}${dropped} more bytes in this line]`;
}

/** The lines with their numbers, as editors show them. */
export function numbered({ lines, first }: LineWindow): string {
  return lines.map((line, index) => `${String(first + index).padStart(6)}\t${line}`).join('\n');
}
