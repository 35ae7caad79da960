import { isoTime } from '@amplifier/core';
import type { NewEvent, NewMessage, SessionEvent, SessionMetadata, TranscriptLine } from '../records.js';
import { SessionError } from '../session-error.js';
import type { StoreContext } from './store-context.js';

type Source = Pick<StoreContext, 'clock' | 'ulid'>;

/** Gives messages their place after those that `metadata` has counted. */
export function numberMessages(
  source: Source,
  metadata: Pick<SessionMetadata, 'message_count' | 'turn_count'>,
  messages: readonly NewMessage[],
  mailbox_cursor?: number,
): TranscriptLine[] {
  let { message_count: seq, turn_count: turn } = metadata;
  return messages.map(({ id, timestamp, ...message }) => {
    seq++;
    if (message.role === 'user') turn++;
    return {
      id: id ?? `msg_${source.ulid()}`,
      seq,
      turn,
      timestamp: timestamp ?? isoTime(source.clock),
      ...message,
      ...(mailbox_cursor === undefined ? {} : { mailbox_cursor }),
    };
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
    time: time ?? isoTime(source.clock),
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
    return records.map((record) => `${JSON.stringify(record)}\n`).join('');
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
