import { errorInfo } from '@amplifier/core';
import {
  hasCode,
  isTerminal,
  type SessionLog,
  type SessionMetadata,
  type SessionStore,
} from '@amplifier/sessions';
import { DelegationError } from './delegation-error.js';
import type { LaunchRecord } from './launch-record.js';
import { wholeOutcome } from './long-answer.js';
import { OUTCOME_VIEWS, type Outcome } from './outcome.js';

/** Makes the outcome of a turn, in the form that is kept, a fact of the session, and its status follow from it. */
export function recordOutcome(log: SessionLog, turn: number, outcome: Outcome): Promise<unknown> {
  const { session } = OUTCOME_VIEWS[outcome.status];
  const error =
    outcome.status === 'completed' ? null : { code: outcome.error.code, message: outcome.error.message };
  const interrupted = outcome.status === 'interrupted';
  // A turn that ended before it began to work finds the session as the turn before left it.
  const begun = isTerminal(log.metadata.status) && isTerminal(session) ? log.transition('active') : null;
  const patch = { extra: { outcome, outcome_turn: turn }, model: outcome.model_used };
  const ended = log.transition(session, { error, interrupted, patch });
  return begun ? Promise.all([begun, ended]) : ended;
}

/** The number of the turn a session is in, or was in last. */
export function turnOf({ extra }: Pick<SessionMetadata, 'extra'>): number {
  return typeof extra.turn === 'number' ? extra.turn : 1;
}

/** The outcome of the session's present turn; null while it has none. */
export async function readOutcome(
  store: Pick<SessionStore, 'messages'>,
  metadata: Pick<SessionMetadata, 'extra'>,
): Promise<Outcome | null> {
  const kept = outcomeIn(metadata);
  return kept && wholeOutcome(store, kept);
}

/** The same as it is kept: of a long answer only the beginning. */
export function outcomeIn({ extra }: Pick<SessionMetadata, 'extra'>): Outcome | null {
  return extra.outcome_turn === (extra.turn ?? 1) ? (extra.outcome as Outcome) : null;
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
