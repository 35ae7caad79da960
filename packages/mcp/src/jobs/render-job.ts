import {
  endOfTurn,
  eventPages,
  type HostPaths,
  type LaunchRecord,
  type Outcome,
  type RunRecord,
  type SessionStore,
  wholeOutcome,
} from '@amplifier/host';
import { resultOf } from '../delegate/build-result.js';
import { type JobStatus, jobStatusOf } from '../delegate/envelope.js';
import type { Observed } from '../delegate/judge-reexecution.js';
import { type JobFinish, JobOrder, type JobState, stateOf } from './job-order.js';
import { firstJob, placeOf } from './session-jobs.js';

/** A job by its run, which this process does not execute; null for a run that is not understood. */
export async function jobOfRun(
  store: SessionStore,
  paths: HostPaths,
  { session_id, payload, result, ended }: RunRecord,
): Promise<JobState | null> {
  const order = JobOrder.safeParse(payload).data;
  if (!order) return null;
  const metadata = (await store.has(session_id)) ? await store.metadata(session_id) : null;
  const session = metadata && { ...placeOf(metadata, paths), session_id, turn: order.turn };
  const { target, fallback_chain } = (metadata && order.turn === 1 ? firstJob(metadata) : null) ?? order;
  const state = stateOf({ ...order, target, fallback_chain }, metadata ? 'running' : 'pending', session);
  if (ended === null) return state;
  const { end = null } = (result ?? {}) as { end?: JobFinish | null };
  if (!end?.result) return projectJob(store, state, order.run_dir);
  return { ...state, ...end, status: jobStatusOf(end.result) };
}

/**
 * The state of a job by the log of its session: it has ended, it runs in another process, or its process died. A state that has an end
 * is final.
 */
export async function projectJob(
  store: SessionStore,
  state: JobState,
  run_dir: string | null,
): Promise<JobState> {
  if (state.result !== null || FINISHED.has(state.status)) return state;
  const { session } = state;
  if (!session || !(await store.has(session.session_id))) return { ...state, status: 'interrupted' };
  const ended = await endOfTurn(store, await store.metadata(session.session_id), session.turn);
  if (!ended) {
    const isRunning = (await store.owner(session.session_id)) !== null;
    return { ...state, status: isRunning ? 'running' : 'interrupted' };
  }
  const { request, run_id, target, fallback_chain, created_at } = state;
  const launch = (await store.document(session.session_id, 'launch')) as unknown as LaunchRecord;
  const whole = await wholeOutcome(store, ended.outcome);
  const duration_s = (Date.parse(ended.time) - Date.parse(created_at)) / 1000;
  const observed = await observedIn(store, session.session_id);
  const facts = { run_id, run_dir, request, target, fallback_chain, duration_s, observed, stopped_by: null };
  const result = resultOf(facts, await trueResumable(store, whole, launch), launch);
  return { ...state, status: jobStatusOf(result), finished_at: ended.time, result };
}

const FINISHED: ReadonlySet<JobStatus> = new Set(['succeeded', 'failed', 'cancelled', 'needs_input']);

/** The same outcome, resumable only where the session can be given another turn: not every external agent keeps its sessions. */
export async function trueResumable(
  store: Pick<SessionStore, 'metadata'>,
  outcome: Outcome,
  { engine }: Pick<LaunchRecord, 'engine'>,
): Promise<Outcome> {
  if (engine === 'in_process' || !outcome.resumable) return outcome;
  const { extra } = await store.metadata(outcome.session_id);
  const keeps = (extra.acp_session as { keeps?: boolean } | undefined)?.keeps !== false;
  return keeps ? outcome : { ...outcome, resumable: false };
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
