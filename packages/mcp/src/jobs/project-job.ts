import {
  eventPages,
  type LaunchRecord,
  type Outcome,
  openStore,
  outcomeIn,
  outcomeInEvent,
  type SessionMetadata,
  type SessionStore,
  wholeOutcome,
} from '@amplifier/host';
import { resultOf } from '../delegate/build-result.js';
import { jobStatusOf } from '../delegate/envelope.js';
import type { Observed } from '../delegate/judge-reexecution.js';
import { FINISHED, type JobState } from './job-state.js';

/**
 * What a job that does not run in this process has come to, by the log of its session: it runs elsewhere, it has ended, or
 * its process died. A state that says how the job ended stands.
 */
export async function projectJob(state: JobState, run_dir: string | null): Promise<JobState> {
  if (FINISHED.has(state.status) || state.result !== null) return state;
  const { session } = state;
  if (!session) return { ...state, status: 'interrupted' };
  await using store = await openStore(session.sessions);
  if (!(await store.has(session.session_id))) return { ...state, status: 'interrupted' };
  const metadata = await store.metadata(session.session_id);
  const ended = await endOfTurn(store, metadata, session.turn);
  if (ended)
    return await endedState(state, await wholeOutcome(store, ended.outcome), store, run_dir, ended.time);
  const running = (await store.owner(session.session_id)) !== null;
  return { ...state, status: running ? 'running' : 'interrupted' };
}

/** How a turn ended, and when: the last one is told by the metadata, an earlier one by the log. */
async function endOfTurn(
  store: SessionStore,
  metadata: SessionMetadata,
  turn: number,
): Promise<{ outcome: Outcome; time: string } | null> {
  const { session_id, extra, ended, updated } = metadata;
  const last = outcomeIn(metadata, turn);
  if (last) return { outcome: last, time: ended ?? updated };
  if (typeof extra.turn !== 'number' || extra.turn <= turn) return null;
  let end: { outcome: Outcome; time: string } | null = null;
  for await (const events of eventPages(store, session_id))
    for (const event of events) {
      const outcome = outcomeInEvent(event, turn);
      if (outcome) end = { outcome, time: event.time };
    }
  return end;
}

async function endedState(
  state: JobState,
  outcome: Outcome,
  store: SessionStore,
  run_dir: string | null,
  finished_at: string,
): Promise<JobState> {
  const { request, run_id, target, fallback_chain, created_at } = state;
  const launch = (await store.document(outcome.session_id, 'launch')) as unknown as LaunchRecord;
  const result = resultOf(
    {
      run_id,
      run_dir,
      request,
      target,
      fallback_chain,
      duration_s: (Date.parse(finished_at) - Date.parse(created_at)) / 1000,
      observed: await observedIn(store, outcome.session_id),
      stopped_by: null,
    },
    outcome,
    launch,
  );
  return { ...state, status: jobStatusOf(result), finished_at, result };
}

async function observedIn(store: SessionStore, session_id: string): Promise<Observed> {
  const observed = { requests: 0, model_calls: 0, tool_calls: 0 };
  for await (const events of eventPages(store, session_id))
    for (const { name } of events) {
      if (name === 'provider:request' || name === 'llm:request') observed.requests++;
      if (name === 'llm:response') observed.model_calls++;
      if (name === 'tool:pre') observed.tool_calls++;
    }
  return observed;
}
