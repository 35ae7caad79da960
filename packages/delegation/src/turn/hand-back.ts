import { errorInfo, isPlainObject } from '@amplifier/core';
import type { NewMailItem, SessionStore } from '@amplifier/sessions';
import type { LaunchRecord } from '../plan/launch-record.js';
import { loadLaunch } from '../recovery/stored-outcome.js';
import {
  announce,
  type CallIds,
  DELEGATE_ERROR,
  type DelegateEvent,
  terminalEvent,
} from '../request/delegate-events.js';
import { OUTCOME_VIEWS, type Outcome, outcomeText } from '../request/outcome.js';
import type { LiveSessions } from './live-sessions.js';
import type { Parent } from './parent.js';
import type { Turn } from './turn.js';
import { callOfTurn } from './turn-start.js';

/** A child has ended while its parent waited: one terminal event, and its cost on the parent's account. */
export function handBack({ launch, number, parent }: Turn, outcome: Outcome, call: CallIds): Promise<void> {
  parent?.addUsage(outcome.usage);
  return announce(terminalEvent(launch, number, outcome, parent?.session_id ?? null, call), parent);
}

/** A background child has ended: its parent is told by mail, wherever it runs, once. */
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
  const item = completionMail(call.parent_id, launch, turn, outcome, event);
  const isNews = !(await store.mail(call.parent_id)).some(({ id }) => id === item.id);
  await store.send(item);
  // A claim that is tried again hands back again; what the child consumed is counted once.
  if (isNews) live.parent(call.parent_id)?.addUsage(outcome.usage);
}

/**
 * The mail that tells a parent how its child ended. Its id makes it one, however often it is sent. It brings the terminal
 * event along: the parent's process announces it when it arrives there.
 */
function completionMail(
  to: string,
  launch: LaunchRecord,
  turn: number,
  outcome: Outcome,
  event: DelegateEvent,
): NewMailItem {
  const error = outcome.status === 'completed' ? '' : `\n(${outcome.error.message})`;
  return {
    to,
    kind: 'completion',
    from: launch.session_id,
    id: `completion_${launch.session_id}_${turn}`,
    body: {
      agent: launch.agent.name,
      session_id: launch.session_id,
      turn,
      status: OUTCOME_VIEWS[outcome.status].result,
      text: outcomeText(outcome) + error,
      event,
    },
  };
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
