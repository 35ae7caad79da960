import type { Message } from '@amplifier/core';
import type { SessionMetadata, SessionStore, TranscriptLine } from '@amplifier/sessions';

/** More than any model's window holds. What lies further back stays in the log and is not loaded. */
const MESSAGES = 400;

export interface History {
  messages: Message[];
  /** Is that all there is? */
  whole: boolean;
}

/** The conversation a session continues with, without the line that is the prompt of the coming turn. */
export async function loadHistory(
  store: SessionStore,
  { session_id, message_count }: Pick<SessionMetadata, 'session_id' | 'message_count'>,
): Promise<History> {
  if (message_count <= 1) return { messages: [], whole: true };
  const lines = await store.tail(session_id, MESSAGES + 1);
  const earlier = lines.slice(0, -1);
  const whole = (lines[0]?.seq ?? 1) <= 1;
  const start = whole
    ? 0
    : Math.max(
        0,
        earlier.findIndex(({ role }) => role === 'user'),
      );
  return { messages: earlier.slice(start).map(toMessage), whole };
}

export function toMessage({
  role,
  content,
  name,
  tool_call_id,
  tool_calls,
  metadata,
}: TranscriptLine): Message {
  return {
    role,
    content,
    ...(name === undefined ? {} : { name }),
    ...(tool_call_id === undefined ? {} : { tool_call_id }),
    ...(tool_calls === undefined ? {} : { tool_calls }),
    ...(metadata === undefined ? {} : { metadata }),
  };
}
