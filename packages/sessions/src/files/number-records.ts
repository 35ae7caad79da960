import type { NewEvent, NewMessage, SessionEvent, SessionMetadata, TranscriptLine } from '../records.js';
import { SessionError } from '../session-error.js';
import type { StoreContext } from './store-context.js';

type Source = Pick<StoreContext, 'time' | 'ulid'>;

/** Gives messages their place after those that `metadata` has counted. */
export function numberMessages(
  source: Source,
  metadata: Pick<SessionMetadata, 'message_count' | 'turn_count'>,
  messages: readonly NewMessage[],
  mailbox_cursor?: number,
): TranscriptLine[] {
  let { message_count: seq, turn_count: turn } = metadata;
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
  source: Source,
  metadata: Pick<SessionMetadata, 'event_count' | 'session_id' | 'parent_id' | 'root_id'>,
  events: readonly NewEvent[],
  mailbox_cursor?: number,
): SessionEvent[] {
  const { event_count, session_id, parent_id, root_id } = metadata;
  return events.map(({ id, time, name, data = {} }, at) => ({
    seq: event_count + at + 1,
    id: id ?? `evt_${source.ulid()}`,
    time: time ?? source.time(),
    name,
    session_id,
    parent_id,
    root_id,
    data,
    ...(mailbox_cursor === undefined ? {} : { mailbox_cursor }),
  }));
}

/** The records as whole lines. */
export function recordText(records: readonly object[], file: string): string {
  try {
    let text = '';
    for (const record of records) text += `${JSON.stringify(record)}\n`;
    return text;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SessionError(
      `A record for ${file} cannot be written as JSON: ${reason}. Nothing was appended.`,
      {
        code: 'INVALID_RECORD',
        origin: file,
        cause,
      },
    );
  }
}
