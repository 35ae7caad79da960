import {
  type JsonObject,
  type LaunchRecord,
  OUTCOME_VIEWS,
  type Outcome,
  outcomeText,
  REEXECUTION_SAFETY,
  resultLimit,
  shorten,
  withinResult,
} from '@amplifier/host';
import { NOTICE_CHARACTERS } from '../defaults.js';
import type { JobRequest } from '../jobs/job-order.js';
import type { DelegationResult, RunFailure } from './envelope.js';
import { judgeReexecution, type Observed } from './judge-reexecution.js';
import { type Target, targetLabel } from './resolve-target.js';

/** What is known of a job beside its outcome. */
export interface JobFacts {
  run_id: string;
  run_dir: string | null;
  request: JobRequest;
  /** Who did it in the end. */
  target: Target;
  fallback_chain: string[];
  duration_s: number;
  observed: Observed;
  /** Who stopped it here, if it was stopped. A session that had not begun yet does not know. */
  stopped_by: string | null;
}

/** Somebody shut the server down: the work was cut off, not called off. */
export const SHUTDOWN = 'shutdown of the server';

/** The envelope of a run that had a session. */
export function resultOf(
  facts: JobFacts,
  outcome: Outcome,
  launch: Pick<LaunchRecord, 'engine' | 'plan'>,
): DelegationResult {
  const cutOff = outcome.status === 'cancelled' && (facts.stopped_by ?? outcome.by) === SHUTDOWN;
  const status = (
    cutOff ? 'interrupted' : OUTCOME_VIEWS[outcome.status].result
  ) as DelegationResult['status'];
  const patch = outcome.artifacts.findLast(({ kind }) => kind === 'patch');
  return {
    ...shared(facts),
    ok: outcome.status === 'completed',
    status,
    text: outcomeText(withinResult(outcome, { max_result: resultLimit(facts.request) })),
    session_id: outcome.session_id,
    error: outcome.status === 'completed' ? null : failureOf(outcome, facts.observed, cutOff),
    question: outcome.status === 'needs_input' ? outcome.question : null,
    selected_model: outcome.model_used,
    effort_applied:
      facts.request.effort === null ? null : effortApplied(facts.request.effort, launch, outcome),
    turn_count: outcome.turn_count,
    cost: {
      usd: outcome.cost,
      input_tokens: outcome.usage.input_tokens,
      output_tokens: outcome.usage.output_tokens,
      total_tokens: outcome.usage.total_tokens,
    },
    ...changesIn(patch),
    resumable: outcome.resumable,
    resumed_by: resumedBy(facts, outcome, launch),
    engine: launch.engine,
    notice: noticeOf(facts, outcome.warnings),
  };
}

/** The envelope of a run that never got as far as a session. */
export function failureResult(
  facts: JobFacts,
  error: Omit<RunFailure, 'reexecution_safety'>,
): DelegationResult {
  const failure = { ...error, reexecution_safety: judgeReexecution(error.code, facts.observed) };
  return {
    ...shared(facts),
    ok: false,
    status: 'error',
    text: '',
    session_id: null,
    error: failure,
    question: null,
    selected_model: null,
    effort_applied: null,
    turn_count: 0,
    cost: { usd: null, input_tokens: 0, output_tokens: 0, total_tokens: 0 },
    ...changesIn(undefined),
    resumable: false,
    resumed_by: null,
    engine: facts.target.cli.startsWith('acp:') ? facts.target.cli : 'in_process',
    notice: null,
  };
}

function shared({ run_id, run_dir, request, target, fallback_chain, duration_s }: JobFacts) {
  const { role, effort, safety_mode, direct } = request;
  const [first] = fallback_chain;
  return {
    target: { cli: target.cli, model: target.model, role, effort },
    run_id,
    run_dir,
    safety_mode,
    direct_mutation: direct,
    requested_model: request.target.model,
    fallback_from: first === undefined ? null : targetLabel(request.target),
    fallback_chain,
    duration_s: Math.round(duration_s * 1000) / 1000,
  };
}

function failureOf(
  { error, artifacts }: Exclude<Outcome, { status: 'completed' }>,
  observed: Observed,
  cutOff: boolean,
): RunFailure {
  const { code, message, retryable } = error;
  if (cutOff)
    return {
      code: 'INTERRUPTED',
      message: 'The server was shut down in the middle of the run. continue_job finishes it.',
      retryable: true,
      reexecution_safety: judgeReexecution('INTERRUPTED', observed),
    };
  // An external agent was watched more closely than any code can tell.
  const seen = factsOfAgent(artifacts)?.reexecution_safety;
  const reexecution_safety =
    REEXECUTION_SAFETY.find((known) => known === seen) ?? judgeReexecution(code, observed);
  return { code, message, retryable, reexecution_safety };
}

function factsOfAgent(artifacts: readonly JsonObject[]): JsonObject | undefined {
  return artifacts.findLast(({ kind }) => kind === 'acp');
}

const OPENED: Record<string, DelegationResult['resumed_by']> = {
  resumed: 'session/resume',
  loaded: 'session/load',
  retold: 'retelling',
};

function resumedBy(
  { request }: JobFacts,
  { artifacts }: Outcome,
  { engine }: Pick<LaunchRecord, 'engine'>,
): DelegationResult['resumed_by'] {
  if (engine === 'in_process') return request.resume === null ? null : 'record';
  return OPENED[String(factsOfAgent(artifacts)?.opened)] ?? null;
}

/** Work worth keeping that nobody keeps is worth a word. */
function noticeOf({ request, run_dir }: JobFacts, warnings: readonly string[]): string | null {
  const kept = run_dir !== null || request.external_tracking || request.safety_mode === 'read_only';
  const text = [...new Set(warnings)].join(' ');
  const short = shorten(text, NOTICE_CHARACTERS, ' …');
  const said = kept ? short : `${short} Pass persist: true to keep a run like this as a job.`.trim();
  return said === '' ? null : said;
}

/** In this process the effort is a setting of the provider; external agents say themselves what they did with it. */
function effortApplied(
  asked: string,
  { engine, plan }: Pick<LaunchRecord, 'engine' | 'plan'>,
  { artifacts }: Outcome,
): string | null {
  if (engine === 'in_process')
    return JSON.stringify(plan.providers ?? []).includes('"reasoning_effort"') ? asked : null;
  const applied = factsOfAgent(artifacts)?.effort_applied;
  return typeof applied === 'string' ? applied : null;
}

function changesIn(
  patch: JsonObject | undefined,
): Pick<DelegationResult, 'changed_files' | 'diff' | 'changes_applied'> {
  if (!patch) return { changed_files: [], diff: null, changes_applied: null };
  const changes = Array.isArray(patch.changes) ? (patch.changes as JsonObject[]) : [];
  return {
    changed_files: changes.map(({ path }) => String(path)),
    diff: typeof patch.diff === 'string' && patch.diff !== '' ? patch.diff : null,
    changes_applied: changes.length > 0 ? patch.applied === true : null,
  };
}
