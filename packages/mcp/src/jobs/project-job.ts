import { type LaunchRecord, type Outcome, openStore, type SessionStore } from '@amplifier/host';
import { resultOf } from '../delegate/build-result.js';
import { jobStatusOf } from '../delegate/envelope.js';
import type { Observed } from '../delegate/judge-reexecution.js';
import { FINISHED, type JobState } from './job-state.js';

/**
 * What a job that does not run in this process has come to, by the log of its session: it runs elsewhere, it has ended, or
 * its process died. A state that says how the job ended stands.
 */
export async function projectJob(state: JobState, run_dir: string): Promise<JobState> {
  if (FINISHED.has(state.status) || state.result !== null) return state;
  const { session } = state;
  if (!session) return { ...state, status: 'interrupted' };
  await using store = await openStore(session.sessions);
  if (!(await store.has(session.session_id))) return { ...state, status: 'interrupted' };
  const metadata = await store.metadata(session.session_id);
  const { outcome, outcome_turn } = metadata.extra;
  if (outcome && outcome_turn === session.turn) {
    const ended = metadata.ended ?? metadata.updated;
    return await endedState(state, outcome as Outcome, store, run_dir, ended);
  }
  const running = (await store.owner(session.session_id)) !== null;
  return { ...state, status: running ? 'running' : 'interrupted' };
}

async function endedState(
  state: JobState,
  outcome: Outcome,
  store: SessionStore,
  run_dir: string,
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
  const names = (await store.events(session_id)).map(({ name }) => name);
  return {
    requests: names.filter((name) => name === 'provider:request' || name === 'llm:request').length,
    model_calls: names.filter((name) => name === 'llm:response').length,
    tool_calls: names.filter((name) => name === 'tool:pre').length,
  };
}
