import { type FileHandle, open } from 'node:fs/promises';
import { COPY_TAIL_BYTES, FILE_MODE } from '../defaults.js';

/** How a file of lines was left: the seq of its last line, and its size in bytes. */
export interface LinesEnd {
  seq: number;
  size: number;
}

/**
 * Updates a file of lines to the line with the seq `last`. `linesAfter` gives the lines after a seq, page by page. Lines are appended if
 * the file is as it was `left`, or if its last line is complete and has a seq that `knows` accepts; otherwise the file is rewritten.
 */
export async function appendLines(
  path: string,
  { last, left }: { last: number; left: LinesEnd | undefined },
  knows: (seq: number, id: unknown) => Promise<boolean>,
  linesAfter: (seq: number) => AsyncIterable<string[]>,
): Promise<LinesEnd> {
  const file = await open(path, 'a+', FILE_MODE);
  try {
    let { size } = await file.stat();
    const end = left?.size === size ? left : await lastLine(file, size);
    const isGood = end !== null && (!('id' in end) || end.seq === 0 || (await knows(end.seq, end.id)));
    if (!isGood) await file.truncate(0);
    if (!isGood) size = 0;
    for await (const lines of linesAfter(isGood ? end.seq : 0)) {
      if (lines.length === 0) continue;
      const bytes = Buffer.from(`${lines.join('\n')}\n`);
      await file.appendFile(bytes);
      size += bytes.length;
    }
    return { seq: last, size };
  } finally {
    await file.close();
  }
}

/** The last line of a file; seq 0 for an empty one, null for one that nothing can be added to. */
async function lastLine(file: FileHandle, size: number): Promise<{ seq: number; id: unknown } | null> {
  if (size === 0) return { seq: 0, id: null };
  for (let length = COPY_TAIL_BYTES; ; length *= 8) {
    const tail = await endOf(file, Math.min(length, size), size);
    if (tail.at(-1) !== NEWLINE) return null;
    const start = tail.lastIndexOf(NEWLINE, -2);
    if (start < 0 && length < size) continue;
    return seqOf(tail.toString('utf8', start + 1));
  }
}

const NEWLINE = 0x0a;

async function endOf(file: FileHandle, length: number, size: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  await file.read(buffer, 0, length, size - length);
  return buffer;
}

function seqOf(line: string): { seq: number; id: unknown } | null {
  try {
    const { seq, id } = JSON.parse(line) as { seq: unknown; id: unknown };
    return Number.isInteger(seq) ? { seq: seq as number, id } : null;
  } catch {
    return null;
  }
}
