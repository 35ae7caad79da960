import { type Clock, errorInfo, type Host, type HostPaths, isoTime, type Report } from '@amplifier/host';
import type { Bench } from '../delegate/bench.js';
import { failureResult, type RunFacts, resultOf } from '../delegate/build-result.js';
import { type DelegationResult, jobStatusOf } from '../delegate/envelope.js';
import { NOTHING_OBSERVED } from '../delegate/judge-reexecution.js';
import { findResumable, type SessionToResume, settingsOf } from '../delegate/prepare-request.js';
import type { Target } from '../delegate/resolve-target.js';
import type { Hosts } from '../hosts.js';
import type { JobFolders } from '../jobs/job-folders.js';
import { McpToolError } from '../mcp-error.js';
import type { Role } from '../roles/built-in-roles.js';
import type { DelegationSettings } from '../settings/delegation-settings.js';
import type { Run } from './run.js';
import { runAttempts } from './run-attempts.js';
import {
  continueSession,
  type Ended,
  type NextTurn,
  nextTurn,
  resumeSession,
  startSession,
} from './run-session.js';
import { withTrueResumable } from './true-resumable.js';

export interface RunnerDeps {
  hosts: Hosts;
  clock: Clock;
  report: Report;
  bench: Bench;
  paths: HostPaths;
}

/** A run, and what was decided for it when it was accepted. */
export interface Errand {
  run: Run;
  folders: JobFolders;
  settings: DelegationSettings;
  role: Role | null;
}

/** What is known of the run at the moment of asking. */
export type Facts = () => RunFacts;

const GO_ON = 'You were cut off. Everything above has happened. Go on where you left off.';

/** Carries runs out: starts, resumes or finishes their sessions and keeps their jobs up to date. */
export class Runner {
  #deps: RunnerDeps;

  constructor(deps: RunnerDeps) {
    this.#deps = deps;
  }

  /** Runs it to its end. What goes wrong on the way is its result. */
  async carryOut(
    { run, folders }: Errand,
    execute: (facts: Facts) => Promise<DelegationResult>,
  ): Promise<void> {
    const facts = (): RunFacts => ({
      run_id: run.run_id,
      run_dir: run.run_dir,
      request: run.state.request,
      target: run.state.target,
      fallback_chain: run.state.fallback_chain,
      duration_s: (this.#deps.clock.now() - run.started) / 1000,
      observed: run.observed,
      stopped_by: run.stopped_by,
    });
    const { direct, working_dir, target } = run.state.request;
    const tellDirect = (what: string) => {
      const message = `${target.cli} ${what} ${working_dir} itself (job ${run.run_id}).`;
      if (direct) this.#deps.report({ level: 'warning', code: 'DIRECT_MUTATION', message });
    };
    tellDirect('was let into');
    const result = await execute(facts).catch((error) => failureResult(facts(), this.#failure(error)));
    run.state = { ...run.state, status: jobStatusOf(result), finished_at: isoTime(this.#deps.clock), result };
    tellDirect(`ended (${result.status}) in`);
    await this.#save(run, folders);
    run.end(result);
  }

  /** A new session for the target, or for whoever is tried after it. */
  attempts({ run, folders, settings, role }: Errand, facts: Facts): Promise<DelegationResult> {
    const { request } = run.state;
    return runAttempts({
      request,
      bench: this.#deps.bench,
      fallbackModel: (cli) => settingsOf(settings, cli).fallback_model ?? null,
      isStopped: () => run.token.isCancelled,
      attempt: (target, chain) =>
        this.#attempt(run, facts, target, chain, (host) =>
          startSession(host, run, target, role, async (session_id, turn, { sessions, queue }) => {
            run.state = { ...run.state, status: 'running', session: { session_id, turn, sessions, queue } };
            await this.#save(run, folders);
          }),
        ),
    });
  }

  async #attempt(
    run: Run,
    facts: Facts,
    target: Target,
    fallback_chain: string[],
    session: (host: Host) => Promise<Ended>,
  ): Promise<DelegationResult> {
    Object.assign(run.observed, NOTHING_OBSERVED);
    run.state = { ...run.state, target, fallback_chain };
    const { working_dir } = run.state.request;
    try {
      const { outcome, launch } = await this.#deps.hosts.use(
        { cwd: working_dir, approvals: run.approvals },
        async (host) => withTrueResumable(host, await session(host)),
      );
      return resultOf(facts(), outcome, launch);
    } catch (error) {
      return failureResult(facts(), this.#failure(error));
    }
  }

  /** The next turn of a session. */
  async resume(
    { run, folders }: Errand,
    facts: Facts,
    resumed: SessionToResume,
    next: NextTurn,
  ): Promise<DelegationResult> {
    const { session_id, place, turn, working_dir, launch: record } = resumed;
    // An external agent stays with what it was started with.
    const chosen = record.engine === 'in_process' ? next : { ...next, model: null, effort: null };
    run.state = { ...run.state, status: 'running', session: { ...placeOf(place), session_id, turn } };
    await this.#save(run, folders);
    const { outcome, launch } = await this.#deps.hosts.use(
      { cwd: working_dir, approvals: run.approvals, place },
      async (host) => withTrueResumable(host, await resumeSession(host, run, session_id, chosen)),
    );
    return resultOf(facts(), outcome, launch);
  }

  /** A job that was cut off: before its session existed, in the middle of a turn, or by a shutdown that ended the turn. */
  async finish(errand: Errand, facts: Facts, word: string | null): Promise<DelegationResult> {
    const { run, folders, role } = errand;
    const { session, request } = run.state;
    const begun = session && (await this.#begun(session.session_id));
    if (!session || !begun) {
      if (request.resume === null) return this.attempts(errand, facts);
      return this.resume(errand, facts, await this.resumable(request.resume), nextTurn(request, role));
    }
    if (begun.ended) {
      const neverBegan = begun.turn === session.turn;
      return this.resume(errand, facts, begun, neverBegan ? nextTurn(request, role) : goingOn(word));
    }
    run.state = { ...run.state, status: 'running' };
    await this.#save(run, folders);
    const wish = { cwd: request.working_dir, approvals: run.approvals, place: session };
    const { outcome, launch } = await this.#deps.hosts.use(wish, async (host) =>
      withTrueResumable(host, await continueSession(host, run, session.session_id, word)),
    );
    return resultOf(facts(), outcome, launch);
  }

  /** The session to continue with; an error of this entry point's where there is none. */
  async resumable(session_id: string): Promise<SessionToResume> {
    try {
      return await findResumable(session_id, this.#deps.paths);
    } catch (error) {
      const { code, message } = errorInfo(error);
      if (code === 'SESSION_NOT_FOUND' || code === 'SESSION_AMBIGUOUS')
        throw new McpToolError('RESUME_FAILED', `session_id: ${message}`);
      throw error;
    }
  }

  async #begun(session_id: string): Promise<SessionToResume | null> {
    return findResumable(session_id, this.#deps.paths).catch((error) => {
      if (errorInfo(error).code === 'SESSION_NOT_FOUND') return null;
      throw error;
    });
  }

  /** The run goes on, and its result stands, when its job cannot be written; somebody is told. */
  async #save(run: Run, folders: JobFolders): Promise<void> {
    if (run.run_dir === null) return;
    await folders.write(run.state).catch((error) => {
      const message = `The job ${run.run_id} could not be written: ${errorInfo(error).message}`;
      this.#deps.report({ level: 'error', code: 'JOB_NOT_WRITTEN', message, error });
    });
  }

  /** Failures with a code are told as they are; anything else is a fault of ours and goes to the log. */
  #failure(error: unknown): { code: string; message: string; retryable: boolean } {
    const { code, message, retryable = false } = errorInfo(error);
    if (code !== undefined) return { code, message, retryable };
    this.#deps.report({ level: 'error', code: 'INTERNAL', message, error });
    return { code: 'INTERNAL', message: `Something went wrong here: ${message}`, retryable };
  }
}

function goingOn(word: string | null): NextTurn {
  return { instruction: word ?? GO_ON, model: null, effort: null, attachments: [] };
}

function placeOf({ sessions, queue }: { sessions: string; queue: string }) {
  return { sessions, queue };
}
