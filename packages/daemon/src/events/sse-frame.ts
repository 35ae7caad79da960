import type { FeedEntry, SessionEvent } from '@amplifier/sessions';
import { messageView } from '../sessions/session-schema.js';
import { formatPosition } from './feed-position.js';

/** An entry of the feed; its id is the position after it. */
export function entryFrame(entry: FeedEntry): string {
  if ('event' in entry) return frame(oneLine(entry.event.name), publicEvent(entry.event), entry.cursor);
  const { session_id, root_id, seq, message } = entry;
  return frame('message', { session_id, root_id, seq, message: messageView(message) }, entry.cursor);
}

/** Events of runs have no number in the log of their session. */
export function publicEvent(event: SessionEvent): Omit<SessionEvent, 'seq'> & { seq: number | null } {
  return event.seq > 0 ? event : { ...event, seq: null };
}

/** A frame about the stream itself: `synced`, `gap`, `reset`, `shutdown`, `revoked`. Its id is a position to continue from. */
export function signalFrame(name: string, cursor: string): string {
  return frame(name, { after: formatPosition(cursor) }, cursor);
}

/** The first lines of a stream: where it starts, and how long a client waits before it connects again. */
export function openingFrame(cursor: string, retry_ms: number): string {
  return `${idLine(cursor)}retry: ${retry_ms}\n\n`;
}

/** A comment: it keeps proxies from closing a quiet connection, and shows either side that the other has gone. */
export const HEARTBEAT = ': heartbeat\n\n';

/** Without a cursor it has no id: it is not stored. */
export function frame(name: string, data: object, cursor?: string): string {
  return `${cursor === undefined ? '' : idLine(cursor)}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

function idLine(cursor: string): string {
  return `id: ${formatPosition(cursor)}\n`;
}

/** A line break in a name would begin a field of its own. */
function oneLine(name: string): string {
  return name.replace(/[\r\n]+/g, ' ');
}
