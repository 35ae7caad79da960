import { DaemonError } from '../daemon-error.js';

const FORM = /^[1-9]\d{0,9}\.\d{1,15}\.\d{1,15}$/;

/** A place in the stream of all sessions, as the session store writes it: three numbers, the later place the larger. */
export function checkFeedCursor(text: string): string {
  if (FORM.test(text)) return text;
  throw new DaemonError(
    'INVALID_CURSOR',
    `${JSON.stringify(text.slice(0, 200))} is not a place in the stream of all events. Give the id of an event of that stream.`,
  );
}

/** Is the one at or after the other? */
export function reaches(cursor: string, other: string): boolean {
  const [a, b] = [cursor.split('.').map(Number), other.split('.').map(Number)];
  for (let at = 0; at < 3; at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}
