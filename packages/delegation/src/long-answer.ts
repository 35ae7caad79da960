import { textOf } from '@amplifier/core';
import type { SessionStore } from '@amplifier/sessions';
import { KEPT_BEGINNING, LONG_ANSWER } from './defaults.js';
import { type Outcome, outcomeText } from './outcome.js';

/** Between the answer and the end of its turn other messages may have come. */
const LOOKED_AT = 8;

export function isLong(outcome: Outcome): boolean {
  return outcomeText(outcome).length > LONG_ANSWER;
}

/**
 * The outcome as the record keeps it. A long answer is there already, as the message that gave it: here stand its beginning and the
 * number of that message. Where no message says just that, it stays as it is. The messages must be durable.
 */
export async function keptOutcome(store: Pick<SessionStore, 'tail'>, outcome: Outcome): Promise<Outcome> {
  if (!isLong(outcome)) return outcome;
  const text = outcomeText(outcome);
  const lines = await store.tail(outcome.session_id, LOOKED_AT);
  const said = lines.findLast(({ role, content }) => role === 'assistant' && textOf(content) === text);
  if (!said) return outcome;
  return { ...withText(outcome, text.slice(0, KEPT_BEGINNING).toWellFormed()), answer_message: said.seq };
}

/** The outcome as it was, from what the record keeps of it. */
export async function wholeOutcome(store: Pick<SessionStore, 'messages'>, kept: Outcome): Promise<Outcome> {
  const { answer_message: seq, ...outcome } = kept;
  if (seq === undefined) return kept;
  const [said] = await store.messages(kept.session_id, { after: seq - 1, limit: 1 });
  return said?.seq === seq ? withText(outcome, textOf(said.content)) : kept;
}

function withText(outcome: Outcome, text: string): Outcome {
  return outcome.status === 'completed' ? { ...outcome, text } : { ...outcome, partial_text: text };
}
