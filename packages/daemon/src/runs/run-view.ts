import { wholeOutcome } from '@amplifier/delegation';
import type { RunRecord, SessionStore } from '@amplifier/sessions';
import type { z } from '../http/endpoint.js';
import { orderOf, type RunEnding, type RunResult, stateOf } from './run-record.js';
import type { RunSummary, RunView } from './run-schema.js';

export function runSummary(run: RunRecord): z.infer<typeof RunSummary> {
  const order = orderOf(run);
  return {
    run_id: run.run_id,
    session_id: order.session_id,
    kind: order.kind,
    status: stateOf(run),
    instruction: order.instruction,
    created_at: run.enqueued,
    started_at: run.started,
    ended_at: run.ended,
    attempts: run.attempts,
    cancel_requested: run.cancel_requested,
    continued_from: order.continued_from,
  };
}

/** The whole run. How it ended is read from the session's log. */
export async function runView(run: RunRecord, store: SessionStore): Promise<RunView> {
  const order = orderOf(run);
  const ending = await endingOf(run, store);
  return {
    ...runSummary(run),
    busy: order.busy,
    limits: order.limits,
    approvals: order.approvals,
    agent: order.delegate?.agent ?? null,
    child_session_id: await childOf(run, store),
    outcome: ending?.outcome ? { ...(await wholeOutcome(store, ending.outcome)) } : null,
    error: ending?.error ?? errorIn(ending) ?? (run.result as RunResult | null)?.error ?? null,
  };
}

function errorIn(ending: RunEnding | null): RunEnding['error'] {
  const outcome = ending?.outcome;
  return outcome && 'error' in outcome ? { ...outcome.error } : null;
}

/** Null while it has not ended, and when its session is gone. */
export async function endingOf(run: RunRecord, store: SessionStore): Promise<RunEnding | null> {
  const seq = (run.result as RunResult | null)?.event_seq;
  const { session_id } = orderOf(run);
  if (seq === undefined || !(await store.has(session_id))) return null;
  const [event] = await store.events(session_id, { after: seq - 1, limit: 1 });
  return event?.data.run_id === run.run_id ? (event.data as unknown as RunEnding) : null;
}

async function childOf(run: RunRecord, store: SessionStore): Promise<string | null> {
  const { delegate, session_id, call_id } = orderOf(run);
  if (!delegate) return null;
  return delegate.session_id ?? (await store.childOfCall(session_id, call_id));
}
