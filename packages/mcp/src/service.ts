import { join, resolve } from 'node:path';
import {
  agentCatalog,
  type Clock,
  type Environment,
  errorInfo,
  type Host,
  type HostPaths,
  hostPaths,
  isoTime,
  loadSettings,
  type Question,
  type Report,
  systemClock,
  ulidSource,
} from '@amplifier/host';
import { DEPTH_VARIABLE } from './defaults.js';
import { Bench } from './delegate/bench.js';
import { failureResult, type RunFacts, resultOf, SHUTDOWN } from './delegate/build-result.js';
import { type DelegationResult, jobStatusOf } from './delegate/envelope.js';
import { NOTHING_OBSERVED } from './delegate/judge-reexecution.js';
import {
  asResumed,
  checkTrust,
  type DelegateInput,
  findResumable,
  prepareRequest,
  type SessionToResume,
  settingsOf,
} from './delegate/prepare-request.js';
import type { Target } from './delegate/resolve-target.js';
import { Hosts, realFolder } from './hosts.js';
import { JobFolders, notFound } from './jobs/job-folders.js';
import type { JobState, RunRequest } from './jobs/job-state.js';
import { projectJob } from './jobs/project-job.js';
import { McpToolError } from './mcp-error.js';
import { loadRoles, type Roles, roleNamed } from './roles/load-roles.js';
import { Run } from './run/run.js';
import { runAttempts } from './run/run-attempts.js';
import {
  continueSession,
  type Ended,
  nextInstruction,
  resumeSession,
  startSession,
} from './run/run-session.js';
import { Runs } from './run/runs.js';
import { type DelegationSettings, readDelegationSettings } from './settings/delegation-settings.js';

export interface ServiceOptions {
  /** Where work is done unless a call says otherwise. */
  cwd: string;
  offline?: boolean;
  environment?: Environment;
  report?: Report;
  clock?: Clock;
}

/** What a door allows its callers. */
export interface Caller {
  honours_trust: boolean;
  /** Can somebody be asked while the call waits? */
  can_ask: boolean;
}

const GO_ON = 'You were cut off. Everything above has happened. Go on where you left off.';

/** Delegations, jobs and everything around them, whatever the transport. One for each server; opened and closed. */
export class McpService implements AsyncDisposable {
  readonly cwd: string;
  readonly clock: Clock;
  readonly report: Report;
  readonly hosts: Hosts;
  readonly runs = new Runs();
  readonly #environment: Environment;
  readonly #bench: Bench;
  readonly #nextUlid: () => string;
  readonly #ending = new Set<Promise<void>>();

  constructor(options: ServiceOptions) {
    const {
      cwd,
      offline = false,
      environment = process.env,
      report = () => {},
      clock = systemClock,
    } = options;
    this.cwd = resolve(cwd);
    this.clock = clock;
    this.report = report;
    this.#environment = environment;
    this.#bench = new Bench(clock);
    this.#nextUlid = ulidSource(clock);
    this.hosts = new Hosts({
      offline,
      environment,
      report,
      onQuestion: (host, question) => void this.#ask(host, question),
    });
  }

  /** Read for each call, so that a change of the file needs no restart. */
  async settings(): Promise<DelegationSettings> {
    const paths = this.#paths(this.cwd);
    return readDelegationSettings({ paths, settings: await loadSettings(paths.settings) });
  }

  /** Lowest first: what ships, the folders of the settings, the user's, the project's. */
  async roles({ role_dirs }: Pick<DelegationSettings, 'role_dirs'>, cwd = this.cwd): Promise<Roles> {
    const { home, project } = this.#paths(cwd);
    return loadRoles([...role_dirs, join(home, 'roles'), join(project, 'roles')]);
  }

  async folders(): Promise<JobFolders> {
    return new JobFolders((await this.settings()).jobs_dir);
  }

  /** Accepts a delegation and sets it going. Rejects, with nothing done, when it cannot be accepted. */
  async delegate(input: DelegateInput, caller: Caller): Promise<Run> {
    this.runs.checkRoom();
    const settings = await this.settings();
    const resumed = input.session_id ? await this.#resumable(input.session_id) : null;
    const working_dir = await realFolder(resumed?.working_dir ?? resolve(this.cwd, input.working_dir ?? '.'));
    const safety_mode = resumed?.launch.safety_mode ?? input.safety_mode ?? settings.default_safety_mode;
    const attended = caller.can_ask && safety_mode === 'write';
    const roles = await this.roles(settings, working_dir);
    const known = await this.hosts.use({ cwd: working_dir, attended }, ({ project }) =>
      agentCatalog(project).names(),
    );
    const context = { ...caller, settings, roles, known, working_dir, depth: this.#depth() };
    const prepared = await prepareRequest(resumed ? { ...input, safety_mode } : input, context);
    const request = resumed ? asResumed(prepared, input, resumed) : prepared;
    const run = this.#newRun(request, { attended, kept: persists(input.persist, settings), settings });
    const role = request.role === null ? null : roleNamed(request.role, roles);
    return this.#launch(run, settings, async (facts) => {
      if (resumed) return this.#resume(run, facts(), resumed, nextInstruction(request, role));
      return this.#attempts(run, facts, settings, role);
    });
  }

  /** Finishes a job that was cut off, or gives the session of a finished one its next turn. */
  async continueJob(
    input: {
      job_id: string;
      prompt?: string | null | undefined;
      persist?: boolean | null | undefined;
      trust_workspace?: boolean | null | undefined;
    },
    caller: Caller,
  ): Promise<Run> {
    this.runs.checkRoom();
    const settings = await this.settings();
    const before = await this.job(input.job_id);
    if (before.status === 'running' || before.status === 'pending')
      throw new McpToolError(
        'JOB_RUNNING',
        `The job ${input.job_id} is ${before.status}. Wait for it with wait_job, or cancel it first.`,
      );
    const { request } = before;
    const trusted = await checkTrust(
      request.safety_mode,
      request.working_dir,
      input.trust_workspace === true,
      { settings, ...caller },
    );
    const attended = caller.can_ask && request.safety_mode === 'write';
    const wasKept = (await (await this.folders()).read(input.job_id)) !== null;
    const prompt = input.prompt?.trim() || null;
    const roles = await this.roles(settings, request.working_dir);
    const role = request.role === null ? null : (roles.roles.get(request.role) ?? null);
    if (before.status === 'interrupted') {
      const run = this.#newRun({ ...request, trusted }, { attended, kept: wasKept, settings }, before);
      return this.#launch(run, settings, (facts) => this.#finish(run, facts, settings, role, prompt));
    }
    if (prompt === null)
      throw new McpToolError(
        'INVALID_INPUT',
        `prompt: The job ${input.job_id} has ended (${before.status}). Say what to do next.`,
      );
    const session_id = before.result?.session_id ?? before.session?.session_id;
    if (!session_id)
      throw new McpToolError(
        'INVALID_INPUT',
        `job_id: The job ${input.job_id} never had a session. Delegate again instead.`,
      );
    const resumed = await this.#resumable(session_id);
    const next: RunRequest = {
      ...request,
      prompt,
      trusted,
      files: [],
      role: null,
      fallback: [],
      resume: session_id,
    };
    const run = this.#newRun(next, { attended, kept: input.persist ?? wasKept, settings });
    run.state = { ...run.state, tool: 'continue_job', continued_from: input.job_id, target: before.target };
    return this.#launch(run, settings, (facts) => this.#resume(run, facts(), resumed, prompt));
  }

  /** How a job stands, whoever runs it. */
  async job(job_id: string): Promise<JobState> {
    const run = this.runs.get(job_id);
    if (run) return run.state;
    const folders = await this.folders();
    const state = await folders.read(job_id);
    if (!state) throw notFound(job_id);
    return this.#project(state, folders);
  }

  /** Every job there is, newest first. */
  async jobs(): Promise<{ jobs: JobState[]; problems: string[] }> {
    const folders = await this.folders();
    const { jobs, problems } = await folders.list();
    const here = new Map(this.runs.all().map((run) => [run.run_id, run.state]));
    const others = jobs.filter(({ run_id }) => !here.has(run_id));
    const projected = await Promise.all(others.map((state) => this.#project(state, folders)));
    const all = [...here.values(), ...projected].sort((a, b) => (a.run_id < b.run_id ? 1 : -1));
    return { jobs: all, problems };
  }

  /** Stops a job, here or in another process. One that has ended stays as it is. */
  async cancel(job_id: string): Promise<JobState> {
    const run = this.runs.get(job_id);
    if (run) {
      if (run.result === null) {
        run.stop('client');
        await run.ended;
      }
      return run.state;
    }
    const state = await this.job(job_id);
    const { session, request } = state;
    if (session && (state.status === 'running' || state.status === 'interrupted')) {
      await this.hosts.use({ cwd: request.working_dir, place: session }, ({ delegator }) =>
        delegator.control.cancel(session.session_id, { level: 'immediate', by: 'client' }),
      );
    }
    return this.job(job_id);
  }

  /** Waits until the job has ended or the signal aborts. */
  async wait(job_id: string, signal: AbortSignal): Promise<JobState> {
    const state = await this.job(job_id);
    const { session, request } = state;
    if (state.status === 'running' && session && !this.runs.get(job_id)) {
      await this.hosts.use({ cwd: request.working_dir, place: session }, ({ delegator }) =>
        delegator.control.wait([session.session_id], { signal }),
      );
    }
    return this.job(job_id);
  }

  /** Cuts off what runs, so that it can be continued later, and closes everything. */
  async close(): Promise<void> {
    for (const run of this.runs.live()) run.stop(SHUTDOWN);
    await Promise.all(this.#ending);
    await this.hosts.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #newRun(
    request: RunRequest,
    { attended, kept, settings }: { attended: boolean; kept: boolean; settings: DelegationSettings },
    before?: JobState,
  ): Run {
    const state: JobState = {
      version: 1,
      run_id: `job_${this.#nextUlid()}`,
      tool: 'delegate',
      created_at: isoTime(this.clock),
      continued_from: null,
      target: request.target,
      session: null,
      fallback_chain: [],
      ...before,
      request,
      status: 'pending',
      finished_at: null,
      result: null,
    };
    const run_dir = kept ? new JobFolders(settings.jobs_dir).folderOf(state.run_id) : null;
    return new Run(state, { attended, run_dir, started: this.clock.now() });
  }

  /** On disk before anything runs, where it is to be kept; then it goes on by itself. */
  async #launch(
    run: Run,
    settings: DelegationSettings,
    execute: (facts: () => RunFacts) => Promise<DelegationResult>,
  ): Promise<Run> {
    const folders = new JobFolders(settings.jobs_dir);
    if (run.run_dir !== null) await folders.write(run.state);
    this.runs.add(run);
    const ending: Promise<void> = this.#carryOut(run, folders, execute).finally(() =>
      this.#ending.delete(ending),
    );
    this.#ending.add(ending);
    return run;
  }

  async #carryOut(
    run: Run,
    folders: JobFolders,
    execute: (facts: () => RunFacts) => Promise<DelegationResult>,
  ): Promise<void> {
    const facts = (): RunFacts => ({
      run_id: run.run_id,
      run_dir: run.run_dir,
      request: run.state.request,
      target: run.state.target,
      fallback_chain: run.state.fallback_chain,
      duration_s: (this.clock.now() - run.started) / 1000,
      observed: run.observed,
    });
    const result = await execute(facts).catch((error) => failureResult(facts(), this.#failure(error)));
    run.state = { ...run.state, status: jobStatusOf(result), finished_at: isoTime(this.clock), result };
    await this.#save(run, folders);
    run.end(result);
  }

  #attempts(
    run: Run,
    facts: () => RunFacts,
    settings: DelegationSettings,
    role: Parameters<typeof startSession>[3],
  ): Promise<DelegationResult> {
    const { request } = run.state;
    return runAttempts({
      request,
      bench: this.#bench,
      fallbackModel: (cli) => settingsOf(settings, cli).fallback_model ?? null,
      isStopped: () => run.token.isCancelled,
      attempt: (target, chain) =>
        this.#attempt(run, facts, target, chain, (host) =>
          startSession(host, run, target, role, async (session_id, turn, { sessions, queue }) => {
            run.state = { ...run.state, status: 'running', session: { session_id, turn, sessions, queue } };
            await this.#save(run, new JobFolders(settings.jobs_dir));
          }),
        ),
    });
  }

  async #attempt(
    run: Run,
    facts: () => RunFacts,
    target: Target,
    fallback_chain: string[],
    session: (host: Host) => Promise<Ended>,
  ): Promise<DelegationResult> {
    Object.assign(run.observed, NOTHING_OBSERVED);
    run.state = { ...run.state, target, fallback_chain };
    const { working_dir } = run.state.request;
    try {
      const { outcome, launch } = await this.hosts.use({ cwd: working_dir, attended: run.attended }, session);
      return resultOf(facts(), outcome, launch);
    } catch (error) {
      return failureResult(facts(), this.#failure(error));
    }
  }

  async #resume(
    run: Run,
    facts: RunFacts,
    resumed: SessionToResume,
    instruction: string,
  ): Promise<DelegationResult> {
    const { session_id, place, turn, working_dir } = resumed;
    run.state = { ...run.state, status: 'running', session: { ...placeOf(place), session_id, turn } };
    await this.#save(run, await this.folders());
    const { outcome, launch } = await this.hosts.use(
      { cwd: working_dir, attended: run.attended, place },
      (host) => resumeSession(host, run, session_id, instruction),
    );
    return resultOf({ ...facts, duration_s: (this.clock.now() - run.started) / 1000 }, outcome, launch);
  }

  /** A job that was cut off: before its session existed, in the middle of a turn, or by a shutdown that ended the turn. */
  async #finish(
    run: Run,
    facts: () => RunFacts,
    settings: DelegationSettings,
    role: Parameters<typeof startSession>[3],
    word: string | null,
  ): Promise<DelegationResult> {
    const { session, request } = run.state;
    const begun = session && (await this.#hasBegun(session.session_id));
    if (!session || !begun) {
      if (request.resume === null) return this.#attempts(run, facts, settings, role);
      return this.#resume(
        run,
        facts(),
        await this.#resumable(request.resume),
        nextInstruction(request, role),
      );
    }
    if (begun.ended)
      return this.#resume(run, facts(), await this.#resumable(session.session_id), word ?? GO_ON);
    run.state = { ...run.state, status: 'running' };
    await this.#save(run, new JobFolders(settings.jobs_dir));
    const wish = { cwd: request.working_dir, attended: run.attended, place: session };
    const { outcome, launch } = await this.hosts.use(wish, (host) =>
      continueSession(host, run, session.session_id, word),
    );
    return resultOf(facts(), outcome, launch);
  }

  async #hasBegun(session_id: string): Promise<{ ended: boolean } | null> {
    const found = await findResumable(session_id, this.#paths(this.cwd)).catch((error) => {
      if (errorInfo(error).code === 'SESSION_NOT_FOUND') return null;
      throw error;
    });
    return found && { ended: found.ended };
  }

  async #resumable(session_id: string): Promise<SessionToResume> {
    try {
      return await findResumable(session_id, this.#paths(this.cwd));
    } catch (error) {
      const { code, message } = errorInfo(error);
      if (code === 'SESSION_NOT_FOUND' || code === 'SESSION_AMBIGUOUS')
        throw new McpToolError('RESUME_FAILED', `session_id: ${message}`);
      throw error;
    }
  }

  async #project(state: JobState, folders: JobFolders): Promise<JobState> {
    const now = await projectJob(state, folders.folderOf(state.run_id));
    if (now.result && !state.result) await folders.write(now);
    return now;
  }

  /** The run goes on, and its result stands, when its job cannot be written; somebody is told. */
  async #save(run: Run, folders: JobFolders): Promise<void> {
    if (run.run_dir === null) return;
    await folders.write(run.state).catch((error) => {
      const message = `The job ${run.run_id} could not be written: ${errorInfo(error).message}`;
      this.report({ level: 'error', code: 'JOB_NOT_WRITTEN', message, error });
    });
  }

  /** Failures with a code are told as they are; anything else is a fault of ours and goes to the log. */
  #failure(error: unknown): { code: string; message: string; retryable: boolean } {
    const { code, message, retryable = false } = errorInfo(error);
    if (code !== undefined) return { code, message, retryable };
    this.report({ level: 'error', code: 'INTERNAL', message, error });
    return { code: 'INTERNAL', message: `Something went wrong here: ${message}`, retryable };
  }

  async #ask(host: Host, question: Question): Promise<void> {
    try {
      const { root_id } = await host.store.metadata(question.session_id);
      this.runs.ofSession(root_id)?.ask({ host, question });
    } catch (error) {
      this.report({ level: 'error', code: 'QUESTION_LOST', message: errorInfo(error).message, error });
    }
  }

  #paths(cwd: string): HostPaths {
    return hostPaths(cwd, this.#environment);
  }

  /** How many agents called each other to get here. What is no number means that somebody meddled. */
  #depth(): number {
    const text = this.#environment[DEPTH_VARIABLE];
    if (text === undefined || text === '') return 0;
    return /^\d{1,3}$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
  }
}

function persists(asked: boolean | null | undefined, { default_persistence }: DelegationSettings): boolean {
  return asked ?? default_persistence === 'job';
}

function placeOf({ sessions, queue }: { sessions: string; queue: string }) {
  return { sessions, queue };
}
