import type { NewEvent, NewMessage, SessionEvent, SessionMetadata, TranscriptLine } from './records.js';
import { refusal } from './refusals.js';

/** So many messages fit into a log. */
export const MOST_MESSAGES = 2 ** 24;

/** Where records get their time, as it is stored, and their ids, which rise, from. */
export interface RecordSource {
  time: () => string;
  ulid: () => string;
}

/** Gives messages their place after those that `metadata` has counted. */
export function numberMessages(
  source: RecordSource,
  metadata: SessionMetadata,
  messages: readonly NewMessage[],
  mailbox_cursor?: number,
): TranscriptLine[] {
  let { message_count: seq, turn_count: turn } = metadata;
  checkRoom(metadata.session_id, seq + messages.length);
  return messages.map((message) => {
    seq++;
    if (message.role === 'user') turn++;
    const line: TranscriptLine = { id: '', seq, turn, timestamp: '', ...message };
    line.id ||= `msg_${source.ulid()}`;
    line.timestamp ||= source.time();
    if (mailbox_cursor !== undefined) line.mailbox_cursor = mailbox_cursor;
    return line;
  });
}

export function numberEvents(
  source: RecordSource,
  { event_count, session_id, parent_id, root_id }: SessionMetadata,
  events: readonly NewEvent[],
  mailbox_cursor?: number,
): SessionEvent[] {
  return events.map(({ id = `evt_${source.ulid()}`, time = source.time(), name, data = {} }, at) => {
    const seq = event_count + at + 1;
    const line: SessionEvent = { seq, id, time, name, session_id, parent_id, root_id, data };
    if (mailbox_cursor !== undefined) line.mailbox_cursor = mailbox_cursor;
    return line;
  });
}

/** Throws unless a session has room for so many messages. */
export function checkRoom(session_id: string, seq: number): void {
  if (seq < MOST_MESSAGES - 1) return;
  const message = `Session ${session_id} is full: a session has up to ${MOST_MESSAGES - 2} messages. Fork it or begin another.`;
  throw refusal('INVALID_RECORD', session_id, message);
}
