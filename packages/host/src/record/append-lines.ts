import { type FileHandle, open } from 'node:fs/promises';
import { COPY_TAIL_BYTES, FILE_MODE } from './defaults.js';

/**
 * Brings a file of lines up to date. `linesAfter` gives the lines after a seq, page by page. The file is gone on with from its
 * last line where that is whole and has a seq that `knows` accepts; else it is written anew.
 */
export async function appendLines(
  path: string,
  knows: (seq: number, id: unknown) => Promise<boolean>,
  linesAfter: (seq: number) => AsyncIterable<string[]>,
): Promise<void> {
  const file = await open(path, 'a+', FILE_MODE);
  try {
    const last = await lastLine(file);
    const isGood = last !== null && (last.seq === 0 || (await knows(last.seq, last.id)));
    if (!isGood) await file.truncate(0);
    for await (const lines of linesAfter(isGood ? last.seq : 0))
      if (lines.length > 0) await file.appendFile(`${lines.join('\n')}\n`);
  } finally {
    await file.close();
  }
}

/** The last line of a file; seq 0 for an empty one, null for one that nothing can be added to. */
async function lastLine(file: FileHandle): Promise<{ seq: number; id: unknown } | null> {
  const { size } = await file.stat();
  if (size === 0) return { seq: 0, id: null };
  const length = Math.min(size, COPY_TAIL_BYTES);
  const buffer = Buffer.alloc(length);
  await file.read(buffer, 0, length, size - length);
  const text = buffer.toString('utf8');
  if (!text.endsWith('\n')) return null;
  const start = text.lastIndexOf('\n', text.length - 2);
  if (start < 0 && length < size) return null;
  try {
    const { seq, id } = JSON.parse(text.slice(start + 1)) as { seq: unknown; id: unknown };
    return Number.isInteger(seq) ? { seq: seq as number, id } : null;
  } catch {
    return null;
  }
}
