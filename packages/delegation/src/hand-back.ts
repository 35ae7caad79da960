import { errorInfo, isPlainObject } from '@amplifier/core';
import type { SessionStore } from '@amplifier/sessions';
import { completionLetter } from './background.js';
import { announce, type CallIds, terminalEvent } from './delegate-events.js';
import { DELEGATE_ERROR } from './events.js';
import type { LaunchRecord } from './launch-record.js';
import type { LiveSessions } from './live-sessions.js';
import type { Outcome } from './outcome.js';
import type { Parent } from './parent.js';
import { loadLaunch } from './stored-outcome.js';
import { callOfTurn } from './turn-start.js';

/** A child has ended while its parent waited: one terminal event, and its cost on the parent's account. */
export function handBack(
  launch: LaunchRecord,
  turn: number,
  outcome: Outcome,
  parent: Parent | null,
  call: CallIds,
): Promise<void> {
  parent?.addUsage(outcome.usage);
  return announce(terminalEvent(launch, turn, outcome, parent?.session_id ?? null, call), parent);
}

/** A background child has ended: its parent is told by letter, wherever it runs, once. */
export async function handBackLater(
  store: SessionStore,
  live: LiveSessions,
  session_id: string,
  turn: number,
  outcome: Outcome,
): Promise<void> {
  const launch = await loadLaunch(store, session_id);
  const call = callOfTurn(launch, await store.metadata(session_id));
  if (call.parent_id === null) return;
  const event = terminalEvent(launch, turn, outcome, call.parent_id, call);
  const letter = completionLetter(call.parent_id, launch, turn, outcome, event);
  const isNews = !(await store.letters(call.parent_id)).some(({ id }) => id === letter.id);
  await store.send(letter);
  // A claim that is tried again hands back again; what the child consumed is counted once.
  if (isNews) live.seat(call.parent_id)?.addUsage(outcome.usage);
}

/** A delegation was refused before a child existed. Listeners hear of it, too. */
export async function announceRefusal(error: unknown, input: unknown, parent: Parent): Promise<void> {
  const request = isPlainObject(input) ? input : {};
  const { agent, session_id = null, tool_call_id = null, parallel_group_id = null } = request;
  const { message, code } = errorInfo(error);
  await parent.hooks?.emit(DELEGATE_ERROR, {
    ...(agent === undefined ? {} : { agent }),
    sub_session_id: session_id,
    session_id,
    parent_session_id: parent.session_id,
    tool_call_id,
    parallel_group_id,
    error: message,
    error_code: code ?? null,
    metadata: null,
  });
}
