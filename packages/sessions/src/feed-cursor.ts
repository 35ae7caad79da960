import { refusal } from './refusals.js';

/** The cursor before the first entry of the feed. */
export const FEED_START = '0';

/** How far apart two cursors are, in entries of all sessions. Negative if `to` is before `from`. */
export function feedDistance(from: string, to: string): number {
  return Number(to) - Number(from);
}

export function parseFeedCursor(cursor: string, end = Number.POSITIVE_INFINITY): number {
  const at = /^\d+$/.test(cursor) ? Number(cursor) : Number.NaN;
  if (at <= end) return at;
  throw refusal('INVALID_CURSOR', cursor, `${JSON.stringify(cursor)} is not a cursor of the feed.`);
}
