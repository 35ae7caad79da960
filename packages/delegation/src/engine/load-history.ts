import { getHeapStatistics } from 'node:v8';
import { AbortError, type CancellationToken, type Clock, type Message, sleep } from '@amplifier/core';
import type { SessionMetadata, SessionStore, TranscriptLine } from '@amplifier/sessions';

/** More than any model's window holds, in number and in bytes. Earlier messages stay in the log and are not loaded. */
const MESSAGES = 400;
const BYTES = 8 * 1024 * 1024;

/** No history is loaded while others are held and more than this share of the heap is used; so often it is looked at again. */
const HEAP_SHARE = 0.6;
const CHECK_MS = 100;

let last: Promise<unknown> = Promise.resolve();
let held = 0;

export interface History {
  messages: Message[];
  /** Is that all there is? */
  whole: boolean;
  /** Must be called when the turn has ended. */
  release?: () => void;
}

const NO_HISTORY: History = { messages: [], whole: true };

/**
 * The conversation a session continues with, without the line that is the prompt of the coming turn. Histories are loaded one after the
 * other while there is memory, so that the heap shows what the last one took: turns of many long conversations at once would end the
 * process with all of them. Rejects if the turn is stopped before.
 */
export function loadHistory(
  store: SessionStore,
  { session_id, message_count }: Pick<SessionMetadata, 'session_id' | 'message_count'>,
  stop: CancellationToken,
  clock: Clock,
): Promise<History> | History {
  return message_count <= 1 ? NO_HISTORY : loadInTurn(store, session_id, stop, clock);
}

async function loadInTurn(
  store: SessionStore,
  session_id: string,
  stop: CancellationToken,
  clock: Clock,
): Promise<History> {
  let isHeld = false;
  const release = () => {
    if (isHeld) held--;
    isHeld = false;
  };
  const turn = last.then(async () => {
    // Waiting frees nothing if no other turn holds a history.
    while (!stop.isImmediate && held > 0 && isFull()) await sleep(clock, CHECK_MS);
    if (stop.isImmediate) throw new AbortError('Stopped while waiting for memory.');
    isHeld = true;
    held++;
    return readHistory(store, session_id);
  });
  last = turn.catch(() => {});
  try {
    return { ...(await turn), release };
  } catch (error) {
    release();
    throw error;
  }
}

async function readHistory(store: SessionStore, session_id: string): Promise<Omit<History, 'release'>> {
  const lines = await store.tail(session_id, MESSAGES + 1, { bytes: BYTES });
  const earlier = lines.slice(0, -1);
  const whole = (lines[0]?.seq ?? 1) <= 1;
  const start = whole ? 0 : earlier.findIndex(({ role }) => role === 'user');
  return { messages: earlier.slice(Math.max(0, start)).map(toMessage), whole };
}

function isFull(): boolean {
  const { used_heap_size, heap_size_limit } = getHeapStatistics();
  return used_heap_size > heap_size_limit * HEAP_SHARE;
}

/** The conversation that a child may inherit, as far back as it is loaded for anyone. */
export async function inheritedHistory(store: SessionStore, session_id: string): Promise<Message[]> {
  return (await store.tail(session_id, Number.MAX_SAFE_INTEGER, { bytes: BYTES })).map(toMessage);
}

function toMessage({ role, content, name, tool_call_id, tool_calls, metadata }: TranscriptLine): Message {
  return {
    role,
    content,
    ...(name === undefined ? {} : { name }),
    ...(tool_call_id === undefined ? {} : { tool_call_id }),
    ...(tool_calls === undefined ? {} : { tool_calls }),
    ...(metadata === undefined ? {} : { metadata }),
  };
}
