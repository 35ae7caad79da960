import { join, resolve } from 'node:path';
import {
  type Clock,
  depthFrom,
  type Environment,
  errorInfo,
  type Host,
  type HostPaths,
  hostPaths,
  isoTime,
  type Looked,
  type Question,
  type Report,
  readSettings,
  systemClock,
  ulidSource,
} from '@amplifier/host';
import { Bench } from './delegate/bench.js';
import { SHUTDOWN } from './delegate/build-result.js';
import { checkTrust, type OperatorRules } from './delegate/check-trust.js';
import type { DelegationResult } from './delegate/envelope.js';
import {
  asResumed,
  type DelegateInput,
  prepareRequest,
  type SessionToResume,
} from './delegate/prepare-request.js';
import { type Approvals, approvalsFor, Hosts, realFolder } from './hosts.js';
import { type ContinueInput, checkContinuation, nextRequest } from './jobs/continue-job.js';
import { JobFolders } from './jobs/job-folders.js';
import { JOB_MEMBER, JobRecord } from './jobs/job-record.js';
import { isJobOf, type JobState, type RunRequest } from './jobs/job-state.js';
import { Jobs } from './jobs/jobs.js';
import { McpToolError } from './mcp-error.js';
import { loadRoles, type Roles, roleNamed } from './roles/load-roles.js';
import { Run } from './run/run.js';
import { nextTurn } from './run/run-session.js';
import { type Errand, type Facts, Runner } from './run/runner.js';
import { Runs } from './run/runs.js';
import { type DelegationSettings, readDelegationSettings } from './settings/delegation-settings.js';

export interface ServiceOptions {
  /** Where work is done unless a call says otherwise. */
  cwd: string;
  offline?: boolean;
  environment?: Environment;
  report?: Report;
  clock?: Clock;
  /** What the operator of a server lets its callers do. Default: what the user's settings say. */
  operator?: OperatorRules;
}

/** What an entry point allows its callers. */
export interface Caller {
  honours_trust: boolean;
  /** Can somebody be asked while the call waits? */
  can_ask: boolean;
  /** Whose token it is, when jobs of others are none of its business; null otherwise. */
  owner: string | null;
}

/** Delegations, jobs and everything around them, whatever the transport. One for each server; opened and closed. */
export class McpService implements AsyncDisposable {
  readonly cwd: string;
  readonly clock: Clock;
  readonly report: Report;
  readonly hosts: Hosts;
  readonly runs = new Runs();
  readonly jobs: Jobs;
  /** The real place of the folder a caller names, or of this server's own. Throws for one that is not allowed. */
  readonly folder: (wanted?: string | null) => Promise<string>;
  readonly #operator: OperatorRules | null;
  readonly environment: Environment;
  readonly #runner: Runner;
  readonly #nextUlid: () => string;
  readonly #ending = new Set<Promise<void>>();

  constructor(options: ServiceOptions) {
    const {
      cwd,
      offline = false,
      environment = process.env,
      report = () => {},
      clock = systemClock,
      operator,
    } = options;
    this.cwd = resolve(cwd);
    this.clock = clock;
    this.report = report;
    this.environment = environment;
    this.#nextUlid = ulidSource(clock);
    this.#operator = operator ?? null;
    this.folder = async (wanted) => {
      const folder = resolve(this.cwd, wanted ?? '.');
      // Allowed first: whether a folder outside exists is nobody's business.
      return realFolder(operator ? await operator.allows(folder) : folder);
    };
    this.hosts = new Hosts({
      allowsFolder: this.folder,
      offline,
      environment,
      report,
      bounds: operator ? { readable: operator.readable ?? undefined, homes: operator.homes } : {},
      onQuestion: (host, question) => void this.#ask(host, question),
    });
    this.jobs = new Jobs({
      runs: this.runs,
      hosts: this.hosts,
      folders: () => this.folders(),
      paths: this.paths(this.cwd),
    });
    const deps = { hosts: this.hosts, clock, report, bench: new Bench(clock), paths: this.paths(this.cwd) };
    this.#runner = new Runner(deps);
  }

  /** Read for each call, so that a change of the file needs no restart. */
  async settings(): Promise<DelegationSettings> {
    const paths = this.paths(this.cwd);
    return readDelegationSettings({ paths, settings: await readSettings(paths) });
  }

  /** Lowest first: what ships, the folders of the settings, the user's, the project's. */
  async roles({ role_dirs }: Pick<DelegationSettings, 'role_dirs'>, cwd = this.cwd): Promise<Roles> {
    const { home, project } = this.paths(cwd);
    return loadRoles([...role_dirs, join(home, 'roles'), join(project, 'roles')]);
  }

  async folders(): Promise<JobFolders> {
    return new JobFolders((await this.settings()).jobs_dir);
  }

  /** Accepts a delegation and sets it going. Rejects, with nothing done, when it cannot be accepted. */
  async delegate(input: DelegateInput, caller: Caller): Promise<Run> {
    this.runs.checkRoom();
    const settings = await this.settings();
    const resumed = input.session_id ? await this.#resumable(input.session_id, caller) : null;
    const working_dir = await this.folder(resumed?.working_dir ?? input.working_dir);
    const safety_mode = input.safety_mode ?? resumed?.launch.safety_mode ?? settings.default_safety_mode;
    const approvals = approvalsFor(safety_mode, caller.can_ask);
    const roles = await this.roles(settings, working_dir);
    const known = await this.hosts.use({ cwd: working_dir, approvals }, ({ agents }) => agents.names());
    const context = {
      ...{ ...caller, settings, roles, known, working_dir },
      operator: this.#operator,
      depth: depthFrom(this.environment),
    };
    const prepared = await prepareRequest(resumed ? { ...input, safety_mode } : input, context);
    const request = resumed ? asResumed(prepared, input, resumed) : prepared;
    const { owner } = caller;
    const kept = persists(input.persist, settings);
    const run = this.#newRun(request, { approvals, kept, settings, owner });
    const role = request.role === null ? null : roleNamed(request.role, roles);
    const errand = { run, folders: new JobFolders(settings.jobs_dir), settings, role };
    return this.#launch(errand, (facts) => {
      if (resumed) return this.#runner.resume(errand, facts, resumed, nextTurn(request, role, input));
      return this.#runner.attempts(errand, facts);
    });
  }

  /** Finishes a job that was cut off, or gives the session of a finished one its next turn. */
  async continueJob(input: ContinueInput, caller: Caller): Promise<Run> {
    this.runs.checkRoom();
    const settings = await this.settings();
    const { owner } = caller;
    const before = await this.jobs.get(input.job_id, owner);
    if (before.status === 'running' || before.status === 'pending')
      throw new McpToolError(
        'JOB_RUNNING',
        `The job ${input.job_id} is ${before.status}. Wait for it with wait_job, or cancel it first.`,
      );
    await checkContinuation(input, before);
    const { working_dir } = before.request;
    const safety_mode = input.safety_mode ?? before.request.safety_mode;
    const asked = input.trust_workspace === true;
    const rules = { settings, ...caller, operator: this.#operator };
    const trusted = await checkTrust(safety_mode, working_dir, asked, rules);
    const approvals = approvalsFor(safety_mode, caller.can_ask);
    const folders = new JobFolders(settings.jobs_dir);
    const roles = await this.roles(settings, working_dir);
    const prompt = input.prompt?.trim() || null;
    if (before.status === 'interrupted') {
      const request = { ...before.request, trusted };
      const role = request.role === null ? null : (roles.roles.get(request.role) ?? null);
      const run = this.#newRun(request, { approvals, kept: before.kept, settings, owner }, before);
      const errand = { run, folders, settings, role };
      return this.#launch(errand, (facts) => this.#runner.finish(errand, facts, prompt));
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
    const resumed = await this.#resumable(session_id, caller);
    const request = nextRequest(before, input, { prompt, trusted, session_id, safety_mode });
    const role = request.role === null ? null : roleNamed(request.role, roles);
    const run = this.#newRun(request, { approvals, kept: input.persist ?? true, settings, owner });
    run.state = { ...run.state, tool: 'continue_job', continued_from: input.job_id };
    const errand = { run, folders, settings, role };
    return this.#launch(errand, (facts) =>
      this.#runner.resume(errand, facts, resumed, nextTurn(request, role, input)),
    );
  }

  /** Where agents that propose keep their work. */
  get trees(): string {
    return this.paths(this.cwd).trees;
  }

  /** Throws for a folder that callers may not work in; it need not be there. */
  async allowed(folder: string, looked?: Looked): Promise<void> {
    await this.#operator?.allows(folder, looked);
  }

  /** Throws where the folder may not be changed for this caller. */
  async requireTrust(
    folder: string,
    asked: boolean,
    { honours_trust }: Caller,
    looked?: Looked,
  ): Promise<void> {
    const settings = await this.settings();
    const rules = { settings, honours_trust, operator: this.#operator };
    await checkTrust('write', folder, asked, rules, looked);
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

  /** The session to continue with. A caller with a scoped token continues only what it started here. */
  async #resumable(session_id: string, { owner }: Caller): Promise<SessionToResume> {
    const resumed = await this.#runner.resumable(session_id);
    await this.#operator?.requireReach(resumed.launch);
    const job = JobRecord.safeParse(resumed.launch.plan.session.metadata?.[JOB_MEMBER]);
    if (owner === null || (job.success && isJobOf(job.data, owner))) return resumed;
    throw new McpToolError('RESUME_FAILED', `session_id: There is no session '${session_id}' of yours.`);
  }

  #newRun(request: RunRequest, { approvals, kept, settings, owner }: RunTerms, before?: JobState): Run {
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
      kept,
      owner: before?.owner ?? owner,
      request,
      status: 'pending',
      finished_at: null,
      result: null,
    };
    const run_dir = kept ? new JobFolders(settings.jobs_dir).folderOf(state.run_id) : null;
    return new Run(state, { approvals, run_dir, started: this.clock.now() });
  }

  /** On disk before anything runs, where it is to be kept; then it goes on by itself. */
  async #launch(errand: Errand, execute: (facts: Facts) => Promise<DelegationResult>): Promise<Run> {
    const { run, folders } = errand;
    if (run.run_dir !== null) await folders.write(run.state);
    this.runs.add(run);
    const ending: Promise<void> = this.#runner
      .carryOut(errand, execute)
      .finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
    return run;
  }

  async #ask(host: Host, question: Question): Promise<void> {
    try {
      const { root_id } = await host.store.metadata(question.session_id);
      this.runs.ofSession(root_id)?.ask({ host, question });
    } catch (error) {
      this.report({ level: 'error', code: 'QUESTION_LOST', message: errorInfo(error).message, error });
    }
  }

  /** Where everything of a folder lies. */
  paths(cwd: string): HostPaths {
    return hostPaths(cwd, this.environment);
  }
}

/** How a run is kept and guarded, and whose it is. */
interface RunTerms {
  approvals: Approvals;
  kept: boolean;
  settings: DelegationSettings;
  owner: string | null;
}

function persists(asked: boolean | null | undefined, { default_persistence }: DelegationSettings): boolean {
  return asked ?? default_persistence === 'job';
}
