import type { TranscriptLine } from '../records.js';
import type { SessionPaths } from './layout.js';
import { withLines } from './line-file.js';
import { transcriptSegments } from './read-log.js';
import type { Base, StoredSession } from './stored-session.js';

/** The seq of the first message for which `isPast` holds; one past the last message when there is none. */
async function firstSeq(
  paths: SessionPaths,
  stored: StoredSession,
  isPast: (line: TranscriptLine) => boolean,
): Promise<number> {
  let after = 0;
  for (const { path, limit } of transcriptSegments(paths, stored)) {
    const found = await withLines<TranscriptLine, number | null>(path, limit, async (file) => {
      const start = await file.seek(isPast);
      for await (const { value } of file.forward(start)) return value.seq;
      const [last] = await file.backward(1);
      after = last?.value.seq ?? after;
      return null;
    });
    if (found !== null) return found;
  }
  return after + 1;
}

export function startOfTurn(paths: SessionPaths, stored: StoredSession, turn: number): Promise<number> {
  return firstSeq(paths, stored, (line) => line.turn >= turn);
}

/** The files, each up to a byte, that hold the conversation up to the end of `turn`, and what they hold. */
export async function cutAtTurn(
  paths: SessionPaths,
  stored: StoredSession,
  turn: number,
): Promise<{ segments: { path: string; bytes: number }[]; messages: number; turns: number }> {
  const segments: { path: string; bytes: number }[] = [];
  let last: TranscriptLine | undefined;
  for (const { path, limit } of transcriptSegments(paths, stored)) {
    const isEnd = await withLines<TranscriptLine, boolean>(path, limit, async (file) => {
      const bytes = await file.seek((line) => line.turn > turn);
      if (bytes > 0) segments.push({ path, bytes });
      if (bytes > 0) last = await lineBefore(path, bytes);
      return bytes < file.end;
    });
    if (isEnd) break;
  }
  return { segments, messages: last?.seq ?? 0, turns: last?.turn ?? 0 };
}

async function lineBefore(path: string, bytes: Base['bytes']): Promise<TranscriptLine | undefined> {
  return withLines<TranscriptLine, TranscriptLine | undefined>(path, bytes, async (file) => {
    const [last] = await file.backward(1);
    return last?.value;
  });
}
