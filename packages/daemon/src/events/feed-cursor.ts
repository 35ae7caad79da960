import { DaemonError } from '../daemon-error.js';

const FORM = /^\d{1,15}$/;

/** A place in the stream of all sessions, as the session store writes it: a number, the later place the larger. */
export function checkFeedCursor(text: string): string {
  if (FORM.test(text)) return text;
  throw new DaemonError(
    'INVALID_CURSOR',
    `${JSON.stringify(text.slice(0, 200))} is not a position in the stream of all events. Give the id of an event of that stream.`,
  );
}

/** Is the one at or after the other? */
export function reaches(cursor: string, other: string): boolean {
  return Number(cursor) >= Number(other);
}
