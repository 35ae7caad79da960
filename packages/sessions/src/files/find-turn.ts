import type { TranscriptLine } from '../records.js';
import type { SessionPaths } from './layout.js';
import { withLines } from './line-file.js';
import { readLast, type Segment, transcriptSegments } from './read-log.js';
import type { StoredSession } from './stored-session.js';

/** The messages of the turn in which a conversation ends, in order. Ordinary turns are found in one read from the end. */
export async function readLastTurn(segments: readonly Segment[]): Promise<TranscriptLine[]> {
  for (let count = ORDINARY_TURN; ; count *= 4) {
    const tail = await readLast(segments, count);
    const turn = tail.at(-1)?.turn;
    if (tail.length < count || tail[0]?.turn !== turn) return tail.filter((line) => line.turn === turn);
  }
}

/** More messages than most turns have. */
const ORDINARY_TURN = 64;

/** A file up to a byte, where a line ends. */
export interface Cut extends Segment {
  limit: number;
}

/** The files, each up to a byte, that hold the conversation up to the end of `turn`, and what they hold. */
export async function cutAtTurn(
  paths: SessionPaths,
  stored: StoredSession,
  turn: number,
): Promise<{ segments: Cut[]; messages: number; turns: number }> {
  const segments: Cut[] = [];
  let last: TranscriptLine | undefined;
  const isWhole = turn === stored.metadata.turn_count;
  for (const { path, limit } of transcriptSegments(paths, stored)) {
    const isEnd = await withLines<TranscriptLine, boolean>(path, limit, async (file) => {
      const bytes = isWhole ? file.end : await file.seek((line) => line.turn > turn);
      if (bytes > 0) segments.push({ path, limit: bytes });
      if (bytes > 0) last = await lineBefore(path, bytes);
      return bytes < file.end;
    });
    if (isEnd) break;
  }
  return { segments, messages: last?.seq ?? 0, turns: last?.turn ?? 0 };
}

async function lineBefore(path: string, limit: number): Promise<TranscriptLine | undefined> {
  const [last] = await readLast([{ path, limit }], 1);
  return last;
}
