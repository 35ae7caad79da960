import { wholeOutcome } from '@amplifier/delegation';
import { endingOf, orderOf, type RunEnding, stateOf } from '@amplifier/host/runs';
import type { RunRecord, SessionStore } from '@amplifier/sessions';
import type { z } from '@hono/zod-openapi';
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

/** The whole run. A long answer is read from its session. */
export async function runView(run: RunRecord, store: SessionStore): Promise<RunView> {
  const order = orderOf(run);
  // A session that is gone has taken its answers with it.
  const ending = run.ended !== null && (await store.has(order.session_id)) ? endingOf(run) : null;
  return {
    ...runSummary(run),
    busy: order.busy,
    limits: order.limits,
    approvals: order.approvals,
    agent: order.delegate?.agent ?? null,
    child_session_id: await childOf(run, store),
    outcome: ending?.outcome ? { ...(await wholeOutcome(store, ending.outcome)) } : null,
    // Of a run that was cancelled in the queue, `cancel_requested` says by whom.
    error: run.status === 'cancelled' ? null : (ending?.error ?? errorIn(ending)),
  };
}

function errorIn(ending: RunEnding | null): RunEnding['error'] {
  const outcome = ending?.outcome;
  return outcome && 'error' in outcome ? { ...outcome.error } : null;
}

async function childOf(run: RunRecord, store: SessionStore): Promise<string | null> {
  const { delegate, session_id, call_id } = orderOf(run);
  if (!delegate) return null;
  return delegate.session_id ?? (await store.childOfCall(session_id, call_id));
}
