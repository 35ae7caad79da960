import { createHash } from 'node:crypto';
import { DaemonError } from '../daemon-error.js';

/**
 * How far a stream has come in the logs it is made of: the seq of the last event sent, by session.
 *
 * As text it is the seq of the followed session, and for each session below it `<mark>.<seq>`, joined by `~`. The mark is
 * a short digest of the session's id, because the text travels with every event. It depends on nothing but the logs, so
 * it means the same after a restart.
 */
export type LogCursor = ReadonlyMap<string, number>;

const FORM = /^\d{1,15}(?:~[\w-]{8}\.\d{1,15}){0,5000}$/;
const MARK_LENGTH = 8;

export function formatLogCursor(session_id: string, cursor: LogCursor): string {
  let text = String(cursor.get(session_id) ?? 0);
  for (const [id, seq] of cursor) if (id !== session_id) text += `~${markOf(id)}.${seq}`;
  return text;
}

/** What a cursor says of sessions whose ids are not known yet: their marks. */
export interface ParsedCursor {
  own: number;
  below: ReadonlyMap<string, number>;
}

export function parseLogCursor(text: string): ParsedCursor {
  if (!FORM.test(text)) {
    throw new DaemonError(
      'INVALID_CURSOR',
      `${JSON.stringify(text.slice(0, 200))} is not a position in the events of a session. Give a seq, or the id of an event of this stream.`,
    );
  }
  const [own = '0', ...below] = text.split('~');
  const entries = below.map((entry): [string, number] => {
    const [mark = '', seq] = entry.split('.');
    return [mark, Number(seq)];
  });
  return { own: Number(own), below: new Map(entries) };
}

const marks = new Map<string, string>();

export function markOf(session_id: string): string {
  const known = marks.get(session_id);
  if (known !== undefined) return known;
  const mark = createHash('sha256').update(session_id).digest('base64url').slice(0, MARK_LENGTH);
  if (marks.size >= 10_000) marks.clear();
  marks.set(session_id, mark);
  return mark;
}
