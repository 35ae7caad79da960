import { errorInfo, isPlainObject, shorten, textOf } from '@amplifier/core';
import {
  type Durability,
  hasCode,
  isTerminal,
  type SessionEvent,
  type SessionLog,
  type SessionMetadata,
  type SessionStore,
} from '@amplifier/sessions';
import { KEPT_BEGINNING, LONG_ANSWER } from '../defaults.js';
import type { LaunchRecord } from '../plan/launch-record.js';
import { DelegationError } from '../request/delegation-error.js';
import { OUTCOME_VIEWS, type Outcome, outcomeText } from '../request/outcome.js';

/**
 * Stores the outcome of a turn, in the form that is kept, and the status that follows from it. The last write of the log: the session is
 * given free with it.
 */
export function recordOutcome(
  log: SessionLog,
  turn: number,
  outcome: Outcome,
  durability: Durability = 'disk',
): Promise<unknown> {
  const { session } = OUTCOME_VIEWS[outcome.status];
  const error =
    outcome.status === 'completed' ? null : { code: outcome.error.code, message: outcome.error.message };
  const interrupted = outcome.status === 'interrupted';
  // A turn that ended before it began to work finds the session as the turn before left it.
  const isUnbegun = isTerminal(log.metadata.status) && isTerminal(session);
  const begun = isUnbegun ? log.transition('active', {}, { durability }) : null;
  const patch = { model: outcome.model_used };
  const last_outcome = { turn, outcome: { ...outcome } };
  const ended = log.transition(
    session,
    { error, interrupted, last_outcome, patch },
    { durability, last: true },
  );
  return begun ? Promise.all([begun, ended]) : ended;
}

/** The number of the turn a session is in, or was in last. */
export function turnOf({ extra }: Pick<SessionMetadata, 'extra'>): number {
  return typeof extra.turn === 'number' ? extra.turn : 1;
}

/** The outcome of the session's present turn; null while it has none. */
export async function readOutcome(
  store: Pick<SessionStore, 'messages'>,
  metadata: WithOutcome,
): Promise<Outcome | null> {
  const kept = outcomeIn(metadata);
  return kept && wholeOutcome(store, kept);
}

type WithOutcome = Pick<SessionMetadata, 'extra' | 'last_outcome'>;

/** The same as it is kept: of a long answer only the beginning. */
export function outcomeIn(metadata: WithOutcome, turn = turnOf(metadata)): Outcome | null {
  const { extra, last_outcome } = metadata;
  if (last_outcome?.turn === turn) return last_outcome.outcome as unknown as Outcome;
  // Sessions of earlier versions have it among their data.
  return extra.outcome_turn === turn ? (extra.outcome as Outcome) : null;
}

/** How a turn ended, if this event of its session has the outcome. */
export function outcomeInEvent({ data }: Pick<SessionEvent, 'data'>, turn: number): Outcome | null {
  const { last_outcome, patch } = data;
  if (isPlainObject(last_outcome))
    return last_outcome.turn === turn ? (last_outcome.outcome as Outcome) : null;
  const extra = isPlainObject(patch) && isPlainObject(patch.extra) ? patch.extra : {};
  return extra.outcome_turn === turn ? (extra.outcome as Outcome) : null;
}

/** A turn that began after the one before it had ended may have died before the status followed. */
export function hasEnded(metadata: SessionMetadata): boolean {
  return isTerminal(metadata.status) && (turnOf(metadata) === 0 || outcomeIn(metadata) !== null);
}

/** The record a session was launched from. Every way into a session goes through it. */
export async function loadLaunch(store: SessionStore, session_id: string): Promise<LaunchRecord> {
  const launch = await readLaunch(store, session_id);
  if (launch?.version === 1 && launch.plan) return launch;
  throw corrupted(session_id, 'it has no launch record', undefined);
}

async function readLaunch(store: SessionStore, session_id: string): Promise<LaunchRecord | null> {
  try {
    return (await store.document(session_id, 'launch')) as LaunchRecord | null;
  } catch (cause) {
    if (hasCode(cause, 'INVALID_SESSION_ID') || hasCode(cause, 'SESSION_NOT_FOUND'))
      throw notFound(session_id);
    if (hasCode(cause, 'SESSION_CORRUPT')) throw corrupted(session_id, errorInfo(cause).message, cause);
    throw cause;
  }
}

function notFound(session_id: string): DelegationError {
  return new DelegationError(
    `Sub-session '${session_id}' not found. The session may have expired or never existed. List the sessions to find the right id.`,
    { code: 'SESSION_NOT_FOUND', origin: session_id },
  );
}

function corrupted(session_id: string, why: string, cause: unknown): DelegationError {
  return new DelegationError(
    `Corrupted session metadata for '${session_id}': ${why}. It cannot be run; its transcript can still be read.`,
    { code: 'SESSION_CORRUPT', origin: session_id, cause },
  );
}

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
  return { ...withText(outcome, shorten(text, KEPT_BEGINNING, '')), answer_message: said.seq };
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
