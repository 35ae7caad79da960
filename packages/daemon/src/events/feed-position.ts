import { FEED_START } from '@amplifier/sessions';
import { DaemonError } from '../daemon-error.js';

/** `0` is the beginning, with or without the letter. */
const FORM = /^(?:p(\d{1,15})|0)$/;

/** A cursor of the record's feed as clients see it: one format for every stream. */
export function formatPosition(cursor: string): string {
  return `p${cursor}`;
}

export function parsePosition(text: string): string {
  const found = FORM.exec(text);
  if (found) return found[1] ?? FEED_START;
  throw new DaemonError(
    'INVALID_CURSOR',
    `${JSON.stringify(text.slice(0, 200))} is not a position of the event feed; those of earlier versions are no longer valid. Start again without Last-Event-ID and \`after\`; or get the transcript, and follow after its X-Feed-Position.`,
  );
}
