import { join } from 'node:path';
import type { SessionEvent, TranscriptLine } from '../records.js';
import type { Range } from '../session-store.js';
import type { SessionPaths } from './layout.js';
import { withLines } from './line-file.js';
import { corrupt, onDisk } from './storage-error.js';
import type { StoredSession } from './stored-session.js';

interface Numbered {
  seq: number;
}

/** A file of a transcript, up to `limit` where it is shared with another session. */
export interface Segment {
  path: string;
  limit: number | undefined;
}

/** The files a transcript consists of, in order: what a fork shares with its source, then its own. */
export function transcriptSegments(paths: SessionPaths, { bases }: Pick<StoredSession, 'bases'>): Segment[] {
  return [
    ...bases.map(({ file, bytes }) => ({ path: join(paths.folder, file), limit: bytes })),
    { path: paths.transcript, limit: undefined },
  ];
}

export function readMessages(
  paths: SessionPaths,
  stored: StoredSession,
  range: Range,
): Promise<TranscriptLine[]> {
  return readRange<TranscriptLine>(transcriptSegments(paths, stored), range);
}

export function readEvents(paths: SessionPaths, range: Range): Promise<SessionEvent[]> {
  return readRange<SessionEvent>([{ path: paths.events, limit: undefined }], range);
}

export function readTail(
  paths: SessionPaths,
  stored: StoredSession,
  count: number,
): Promise<TranscriptLine[]> {
  return readLast(transcriptSegments(paths, stored), count);
}

export async function readLast(segments: readonly Segment[], count: number): Promise<TranscriptLine[]> {
  let tail: TranscriptLine[] = [];
  for (const { path, limit } of [...segments].reverse()) {
    if (tail.length === count) break;
    const lines = await onDisk('read', path, () =>
      withLines<TranscriptLine, TranscriptLine[]>(path, limit, async (file) =>
        (await file.backward(count - tail.length)).map(({ value }) => value),
      ),
    );
    tail = [...lines, ...tail];
  }
  return tail;
}

async function readRange<T extends Numbered>(segments: readonly Segment[], range: Range): Promise<T[]> {
  const { after = 0, before = Number.POSITIVE_INFINITY, limit = Number.POSITIVE_INFINITY } = range;
  const found: T[] = [];
  for (const segment of segments) {
    if (found.length >= limit) break;
    await onDisk('read', segment.path, () =>
      withLines<T, void>(segment.path, segment.limit, async (file) => {
        const start = after === 0 ? 0 : await file.seek(({ seq }) => seq > after);
        for await (const line of file.forward(start)) {
          if (line.value.seq >= before || found.length >= limit) return;
          const expected = (found.at(-1)?.seq ?? line.value.seq - 1) + 1;
          if (line.value.seq !== expected) {
            const number = await file.lineNumber(line.start);
            throw corrupt(segment.path, number, `record ${line.value.seq} stands where ${expected} should`);
          }
          found.push(line.value);
        }
      }),
    );
  }
  return found;
}
