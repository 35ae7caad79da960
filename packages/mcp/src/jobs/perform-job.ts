import { dirname } from 'node:path';
import {
  AmplifierError,
  CANCELLED,
  type CircuitBreaker,
  type Clock,
  errorInfo,
  fallbackModel,
  type Host,
  hasCode,
  isoTime,
  type JobEnd,
  type ActiveJob as JobRun,
  type JsonObject,
  type LaunchRecord,
  type Outcome,
  projectNetwork,
  type Report,
  rootSessionId,
  runWithFallback,
  tighterNetwork,
  ulidSource,
} from '@amplifier/host';
import { failureResult, type JobFacts, resultOf } from '../delegate/build-result.js';
import { type DelegationResult, jobStatusOf } from '../delegate/envelope.js';
import { NOTHING_OBSERVED } from '../delegate/judge-reexecution.js';
import { settingsOf } from '../delegate/prepare-request.js';
import { OWN_SESSION, type Target, targetLabel } from '../delegate/resolve-target.js';
import type { Hosts } from '../hosts.js';
import type { DelegationSettings } from '../settings/delegation-settings.js';
import { JobFolders } from './job-folders.js';
import { type JobFinish, type JobState, recordOf } from './job-order.js';
import type { LiveJob } from './live-job.js';
import { trueResumable } from './render-job.js';
import { JOB_MEMBER, recordJob } from './session-jobs.js';

/** What jobs are executed with. */
export interface JobParts {
  hosts: Hosts;
  clock: Clock;
  report: Report;
  breaker: CircuitBreaker;
  /** Read for each call: they may have changed. */
  settings(): Promise<DelegationSettings>;
}

/** A job with the run that it is executed as. */
interface ActiveJob {
  job: LiveJob;
  claimed: JobRun;
  parts: JobParts;
}

/** How an attempt ended: with an outcome, or with the reason why there is none. */
interface Attempt {
  result: DelegationResult;
  outcome: Outcome | null;
  error: JobEnd['error'];
}

type Ended = { outcome: Outcome; launch: LaunchRecord };

const nextUlid = ulidSource();

/** Executes a job to its end. What goes wrong on the way is its result. */
export async function performJob(parts: JobParts, job: LiveJob, claimed: JobRun): Promise<JobEnd> {
  const active = { job, claimed, parts };
  const { clock, report } = parts;
  const { direct, working_dir, target } = job.order.request;
  const tellDirect = (what: string) => {
    const message = `${target.cli} ${what} ${working_dir} itself (job ${job.run_id}).`;
    if (direct) report({ level: 'warning', code: 'DIRECT_MUTATION', message });
  };
  job.claim(claimed);
  tellDirect('was let into');
  const { result, outcome, error } = await carryOut(active).catch((error) => failed(active, error));
  const finished_at = isoTime(clock);
  const { fallback_chain } = result;
  job.state = { ...job.state, status: jobStatusOf(result), fallback_chain, finished_at, result };
  tellDirect(`ended (${result.status}) in`);
  await save(active);
  const status = result.status === 'interrupted' ? 'interrupted' : (outcome?.status ?? 'failed');
  const end: JobFinish = { target: job.state.target, fallback_chain, finished_at, result };
  return { status, outcome, error, end };
}

async function carryOut(active: ActiveJob): Promise<Attempt> {
  const { job, parts } = active;
  const { action, request, approvals } = job.order;
  if (action === 'start') return tryTargets(active);
  job.state = { ...job.state, status: 'running' };
  await save(active);
  const place = job.state.session ?? undefined;
  await using lent = await parts.hosts.lend({ cwd: request.working_dir, approvals, place });
  const run = action === 'resume' ? resumeSession : continueSession;
  return attempted(active, lent.host, await run(lent.host, active));
}

/** A new session for the target, or for those that are tried after it. */
async function tryTargets(active: ActiveJob): Promise<Attempt> {
  const { job, parts } = active;
  const { target: primary, fallback, allow_model_fallback, safety_mode, working_dir } = job.order.request;
  const settings = await parts.settings();
  const { fallback_model } = settingsOf(settings, primary.cli);
  const model = fallbackModel(primary.model, { fallback_model, allowed: allow_model_fallback });
  const attempt = async (target: Target, fallback_chain: string[]): Promise<Attempt> => {
    Object.assign(job.observed, NOTHING_OBSERVED);
    job.state = { ...job.state, target, fallback_chain };
    try {
      await using lent = await parts.hosts.lend({ cwd: working_dir, approvals: job.order.approvals });
      return await attempted(active, lent.host, await startSession(lent.host, active, target));
    } catch (error) {
      return failed(active, error);
    }
  };
  const { result, chain } = await runWithFallback<Target, Attempt>({
    primary,
    modelFallback: model === null ? null : { cli: primary.cli, model },
    alternates: fallback,
    safety_mode,
    breaker: parts.breaker,
    // The engine of external agents counts for itself.
    recordsItself: ({ cli }) => cli.startsWith('acp:'),
    agentOf: ({ cli }) => cli,
    labelOf: targetLabel,
    attempt,
    failureOf: ({ result: { ok, error } }) => {
      if (ok) return null;
      if (job.isStopped || error === null) return CANCELLED;
      return { code: error.code, reexecution: error.reexecution_safety };
    },
  });
  return { ...result, result: { ...result.result, fallback_chain: chain } };
}

/** Starts a session for the target and runs it to its end. */
async function startSession(host: Host, active: ActiveJob, target: Target): Promise<Ended> {
  const { job, claimed } = active;
  const { request, instruction, attachments } = job.order;
  const { effort, safety_mode, trusted, timeout_s, max_depth, direct, network, skills } = request;
  // The run names the session of the first attempt. It is on disk under which session the job is before that exists.
  const session_id = job.state.session ? rootSessionId(nextUlid()) : claimed.run.session_id;
  if (job.state.session) await claimed.assign(session_id);
  const { sessions, queue } = host.project.paths;
  job.state = { ...job.state, status: 'running', session: { sessions, queue, session_id, turn: 1 } };
  await save(active);
  job.enter(host);
  const agent = target.cli === OWN_SESSION ? undefined : target.cli;
  return host.run({
    instruction: instruction ?? '',
    attachments: attachments.map((path) => ({ path })),
    ...(skills.length > 0 ? { skills } : {}),
    session_id,
    agent,
    ...((await host.isExternal(agent))
      ? { model: target.model ?? undefined }
      : modelOptions(target.model, host)),
    effort: effort ?? undefined,
    safety_mode,
    trusted,
    trust_declared: trusted,
    ...(network === null ? {} : { network: tighterNetwork(projectNetwork(host.project, trusted), network) }),
    report_changes: safety_mode === 'write' || safety_mode === 'yolo',
    direct,
    limits: { timeout: timeout_s, max_depth },
    // Other models and other agents are tried by this entry point, so that the chain tells of all of them.
    model_fallback: false,
    metadata: { [JOB_MEMBER]: recordOf(job.state) },
    onCreated: () => begin(active),
    ...watching(active),
  });
}

/** Gives a session another instruction. */
async function resumeSession(host: Host, active: ActiveJob): Promise<Ended> {
  const { job, claimed } = active;
  const { request, instruction, model, effort, attachments } = job.order;
  const { timeout_s, safety_mode, trusted, network } = request;
  const { session_id } = claimed.run;
  const options = { ...modelOptions(model, host), effort: effort ?? undefined };
  const changes = model !== null || effort !== null;
  const providers = changes ? await host.providersFor(false, options) : null;
  const rights = await host.rightsFor(session_id, safety_mode, trusted, trusted);
  await keepRecord(host, session_id, job.state);
  begin(active);
  job.enter(host);
  return host.delegator.resume(session_id, instruction ?? '', {
    ...watching(active),
    attachments: attachments.map((path) => ({ path })),
    limits: { timeout: timeout_s },
    ...(network === null ? {} : { network }),
    ...(rights ? { rights } : {}),
    ...(providers ? { providers } : {}),
  });
}

/** The session says which job its next turn is, so that the job is found when its run has expired. */
async function keepRecord({ logs }: Host, session_id: string, state: JobState): Promise<void> {
  await using log = await logs.open(session_id).catch((error) => {
    if (!hasCode(error, 'SESSION_LOCKED')) throw error;
    const message = `session_id: ${session_id} is running. Wait for it, or cancel it first.`;
    throw new AmplifierError(message, { code: 'SESSION_BUSY' });
  });
  await recordJob(log, state.session?.turn ?? 1, recordOf(state));
}

/** Continues the turn that a dead process left, with a message for it if there is one. */
async function continueSession(host: Host, active: ActiveJob): Promise<Ended> {
  const { job, claimed } = active;
  const { session_id } = claimed.run;
  const { delegator } = host;
  job.enter(host);
  begin(active);
  if (job.order.instruction !== null) await delegator.control.message(session_id, job.order.instruction);
  return delegator.continue(session_id, watching(active));
}

/** The session exists: the feed gets the event that the run has started. */
function begin({ job, claimed, parts }: ActiveJob): void {
  job.begin();
  claimed.begin().catch((error) => notWritten(parts, job.run_id, error));
}

function watching({ job, claimed: { claim } }: ActiveJob) {
  const onEvent = (name: string, data: Readonly<JsonObject>) => job.onEvent(name, data);
  return { claim, cancellation: claim.cancellation, onEvent };
}

async function attempted(active: ActiveJob, { store }: Host, ended: Ended): Promise<Attempt> {
  const outcome = await trueResumable(store, ended.outcome, ended.launch);
  return { result: resultOf(factsOf(active), outcome, ended.launch), outcome, error: null };
}

/** Failures with a code are results; any other is an internal error and is also reported. */
function failed(active: ActiveJob, error: unknown): Attempt {
  const { code, message, retryable = false } = errorInfo(error);
  if (code === undefined) active.parts.report({ level: 'error', code: 'INTERNAL', message, error });
  const failure =
    code === undefined
      ? { code: 'INTERNAL', message: `Something went wrong here: ${message}`, retryable }
      : { code, message, retryable };
  return { result: failureResult(factsOf(active), failure), outcome: null, error: failure };
}

/** The result of a job whose end could not be stored. */
export function unrecorded(job: LiveJob, clock: Clock): DelegationResult {
  const message = 'The record failed while the job was executed; see the log of the server.';
  const failure = { code: 'INTERNAL', message, retryable: false };
  return failureResult(factsOf({ job, parts: { clock } }), failure);
}

function factsOf({ job, parts: { clock } }: { job: LiveJob; parts: Pick<JobParts, 'clock'> }): JobFacts {
  const { run_id, run_dir, request } = job.order;
  const { target, fallback_chain } = job.state;
  const duration_s = (clock.now() - job.started) / 1000;
  const { observed, stopped_by } = job;
  return { run_id, run_dir, request, target, fallback_chain, duration_s, observed, stopped_by };
}

/** A folder that cannot be written is reported. The job continues, and its result is valid. */
async function save({ job, parts }: ActiveJob): Promise<void> {
  const { run_dir } = job.order;
  if (run_dir === null) return;
  try {
    await new JobFolders(dirname(run_dir)).write(job.state);
  } catch (error) {
    notWritten(parts, job.run_id, error);
  }
}

function notWritten({ report }: JobParts, run_id: string, error: unknown): void {
  const message = `The job ${run_id} could not be written: ${errorInfo(error).message}`;
  report({ level: 'error', code: 'JOB_NOT_WRITTEN', message, error });
}

/** `provider/model` where the first part is a provider; else all of it is a model. */
function modelOptions(model: string | null, { providers }: Host): { provider?: string; model?: string } {
  if (model === null) return {};
  const [, provider = '', rest = ''] = /^([^/]+)\/(.+)$/.exec(model) ?? [];
  return provider !== '' && providers.has(provider) ? { provider, model: rest } : { model };
}
