import { EVENTS, type StreamDelta } from '@amplifier/core';
import type { SessionLog } from '@amplifier/sessions';

/** Lets others read along while the model writes. */
export function sayAlong(
  log: Pick<SessionLog, 'say' | 'unsay'>,
  name: string,
  data: Readonly<Record<string, unknown>>,
): void {
  if (name === EVENTS.CONTENT_BLOCK_DELTA) {
    const delta = data.delta as StreamDelta;
    if (delta.type === 'text') log.say('text', delta.text);
  } else if (name === EVENTS.THINKING_DELTA) log.say('reasoning', String(data.text));
  // What was said until then is said again, or never.
  else if (name === EVENTS.PROVIDER_ERROR || name === EVENTS.PROVIDER_RETRY) log.unsay();
}
