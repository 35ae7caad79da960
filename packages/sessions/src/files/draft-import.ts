import { readImport } from '../export-session.js';
import type { Draft } from './create-session.js';

/** Reads an export into what a new session's folder is filled with. */
export async function draftImport(
  lines: AsyncIterable<string> | Iterable<string>,
  options: { session_id?: string },
): Promise<Draft> {
  const { metadata, letters, ...contents } = await readImport(lines, options);
  const mail = letters.map((letter) => `${JSON.stringify(letter)}\n`).join('');
  return {
    ...contents,
    stored: { metadata, bases: [], transcript_bytes: 0, events_bytes: 0 },
    shared: new Map(),
    files: new Map(mail === '' ? [] : [['mailbox.jsonl', mail]]),
  };
}
