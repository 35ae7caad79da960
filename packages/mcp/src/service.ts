import { join, resolve } from 'node:path';
import {
  CircuitBreaker,
  type Clock,
  depthFrom,
  type Environment,
  errorInfo,
  type Host,
  type HostPaths,
  hostPaths,
  isoTime,
  JOB_KIND,
  type Looked,
  type Question,
  type Report,
  readSettings,
  systemClock,
  ulidSource,
} from '@amplifier/host';
import { checkTrust, type OperatorRules } from './delegate/check-trust.js';
import {
  asResumed,
  composePrompt,
  type DelegateInput,
  findResumable,
  prepareRequest,
  type SessionToResume,
} from './delegate/prepare-request.js';
import { type Approvals, approvalsFor, Hosts, realFolder } from './hosts.js';
import { type ContinueInput, checkContinuation, nextRequest } from './jobs/continue-job.js';
import { JobFolders } from './jobs/job-folders.js';
import {
  isJobOf,
  type JobOrder,
  JobRecord,
  type JobRequest,
  type JobState,
  recordOf,
} from './jobs/job-order.js';
import { Jobs, jobRunning, type ServedRuns } from './jobs/jobs.js';
import type { LiveJob } from './jobs/live-job.js';
import { JOB_MEMBER } from './jobs/session-jobs.js';
import { McpToolError } from './mcp-error.js';
import type { Role } from './roles/built-in-roles.js';
import { loadRoles, type Roles, roleNamed } from './roles/load-roles.js';
import { type DelegationSettings, readDelegationSettings } from './settings/delegation-settings.js';

export interface ServiceOptions {
  /** Where work is done unless a call says otherwise. */
  cwd: string;
  offline?: boolean;
  environment?: Environment;
  report?: Report;
  clock?: Clock;
  /** Runs of a process that has them open already. Default: those of the user's record. */
  served?: ServedRuns;
  /** That of the process. Default: one for this service. */
  breaker?: CircuitBreaker | undefined;
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
  readonly jobs: Jobs;
  /** The real place of the folder a caller names, or of this server's own. Throws for one that is not allowed. */
  readonly folder: (wanted?: string | null) => Promise<string>;
  readonly #operator: OperatorRules | null;
  readonly environment: Environment;
  readonly offline: boolean;
  readonly #nextUlid: () => string;

  constructor(options: ServiceOptions) {
    const {
      cwd,
      offline = false,
      environment = process.env,
      report = () => {},
      clock = systemClock,
      operator,
      served = null,
      breaker = new CircuitBreaker(clock),
    } = options;
    this.cwd = resolve(cwd);
    this.clock = clock;
    this.report = report;
    this.environment = environment;
    this.offline = offline;
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
      clock,
      environment,
      report,
      bounds: operator ? { readable: operator.readable ?? undefined, homes: operator.homes } : {},
      onQuestion: (host, question) => void this.#ask(host, question),
      runs: () => this.jobs.runs(),
      breaker,
    });
    this.jobs = new Jobs({
      ...{ environment, clock, report, served },
      hosts: this.hosts,
      paths: this.paths(this.cwd),
      breaker,
      settings: () => this.settings(),
      folders: () => this.folders(),
    });
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
  async delegate(input: DelegateInput, caller: Caller): Promise<LiveJob> {
    this.jobs.checkRoom();
    const settings = await this.settings();
    const resumed = input.session_id ? await this.#resumable(input.session_id, caller) : null;
    const working_dir = await this.folder(resumed?.working_dir ?? input.working_dir);
    const safety_mode = input.safety_mode ?? resumed?.launch.safety_mode ?? settings.default_safety_mode;
    const approvals = approvalsFor(safety_mode, caller.can_ask);
    const roles = await this.roles(settings, working_dir);
    await using lent = await this.hosts.lend({ cwd: working_dir, approvals });
    const known = await lent.host.agents.names();
    const context = {
      ...{ ...caller, settings, roles, known, working_dir },
      operator: this.#operator,
      depth: depthFrom(this.environment),
    };
    const prepared = await prepareRequest(resumed ? { ...input, safety_mode } : input, context);
    const request = resumed ? asResumed(prepared, input, resumed) : prepared;
    const role = request.role === null ? null : roleNamed(request.role, roles);
    const kept = input.persist ?? settings.default_persistence === 'job';
    const job = { ...this.#newJob('delegate', request, caller), kept };
    const instruction = composePrompt(request, role);
    return this.#submit(job, { settings, approvals, instruction }, resumed, input);
  }

  /** Finishes a job that was cut off, or gives the session of a finished one its next turn. */
  async continueJob(input: ContinueInput, caller: Caller): Promise<LiveJob> {
    this.jobs.checkRoom();
    const settings = await this.settings();
    const before = await this.jobs.get(input.job_id, caller.owner);
    if (before.status === 'running' || before.status === 'pending')
      throw jobRunning(input.job_id, before.status);
    await checkContinuation(input, before);
    const { working_dir } = before.request;
    const safety_mode = input.safety_mode ?? before.request.safety_mode;
    const asked = input.trust_workspace === true;
    const rules = { settings, ...caller, operator: this.#operator };
    const trusted = await checkTrust(safety_mode, working_dir, asked, rules);
    const approvals = approvalsFor(safety_mode, caller.can_ask);
    const roles = await this.roles(settings, working_dir);
    const prompt = input.prompt?.trim() || null;
    if (before.status === 'interrupted') {
      const request = { ...before.request, trusted };
      const role = request.role === null ? null : (roles.roles.get(request.role) ?? null);
      const job = { ...recordOf(before), owner: before.owner ?? caller.owner, request };
      return this.#finish(job, before.session, { settings, approvals, prompt, role });
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
    const fresh = this.#newJob('continue_job', request, caller);
    const job = { ...fresh, continued_from: input.job_id, kept: input.persist ?? true };
    const instruction = composePrompt(request, role);
    return this.#submit(job, { settings, approvals, instruction }, resumed, input);
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
    await this.jobs.close();
    await this.hosts.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** The session to continue with. A caller with a scoped token continues only what it started here. */
  async #resumable(session_id: string, { owner }: Caller): Promise<SessionToResume> {
    const resumed = await this.#mustFind(session_id);
    await this.#operator?.requireReach(resumed.launch);
    const job = JobRecord.safeParse(resumed.launch.plan.session.metadata?.[JOB_MEMBER]);
    if (owner === null || (job.success && isJobOf(job.data, owner))) return resumed;
    throw new McpToolError('RESUME_FAILED', `session_id: There is no session '${session_id}' of yours.`);
  }

  async #mustFind(session_id: string): Promise<SessionToResume> {
    try {
      return await findResumable(session_id, this.paths(this.cwd));
    } catch (error) {
      const { code, message } = errorInfo(error);
      if (code === 'SESSION_NOT_FOUND' || code === 'SESSION_AMBIGUOUS')
        throw new McpToolError('RESUME_FAILED', `session_id: ${message}`);
      throw error;
    }
  }

  #newJob(tool: JobRecord['tool'], request: JobRequest, { owner }: Caller): Omit<JobRecord, 'kept'> {
    const run_id = `job_${this.#nextUlid()}`;
    const { target } = request;
    const created_at = isoTime(this.clock);
    return { run_id, tool, created_at, continued_from: null, request, target, fallback_chain: [], owner };
  }

  /** A job that was cut off: before its session existed, in the middle of a turn, or by a shutdown that ended the turn. */
  async #finish(
    job: JobRecord,
    session: JobState['session'],
    { prompt, role, ...terms }: Omit<JobTerms, 'instruction'> & { prompt: string | null; role: Role | null },
  ): Promise<LiveJob> {
    const { request } = job;
    const again = { ...terms, instruction: composePrompt(request, role) };
    const begun = session && (await this.#begun(session.session_id));
    if (!session || !begun) {
      const resumed = request.resume === null ? null : await this.#mustFind(request.resume);
      return this.#submit(job, again, resumed);
    }
    if (begun.ended) {
      const neverBegan = begun.turn === session.turn;
      const next = { ...terms, instruction: prompt ?? GO_ON, attachments: [] };
      return this.#submit(job, neverBegan ? again : next, begun);
    }
    const order = this.#order(job, { ...terms, instruction: prompt, attachments: [] });
    return this.jobs.submit({ ...order, action: 'continue', turn: session.turn }, session);
  }

  async #begun(session_id: string): Promise<SessionToResume | null> {
    return findResumable(session_id, this.paths(this.cwd)).catch((error) => {
      if (errorInfo(error).code === 'SESSION_NOT_FOUND') return null;
      throw error;
    });
  }

  /** For a new session, or for the next turn of one. */
  #submit(
    job: JobRecord,
    terms: JobTerms,
    next: SessionToResume | null,
    { model, effort }: TurnModel = {},
  ): Promise<LiveJob> {
    const order = this.#order(job, terms);
    if (!next) return this.jobs.submit(order);
    const { session_id, turn, launch } = next;
    const { sessions, queue } = next.place;
    // An external agent stays with what it was started with.
    const isOwn = launch.engine === 'in_process';
    const chosen = { model: (isOwn && model) || null, effort: (isOwn && effort) || null };
    const session = { sessions, queue, session_id, turn };
    return this.jobs.submit({ ...order, ...chosen, action: 'resume', turn }, session);
  }

  #order(job: JobRecord, { settings, instruction, approvals, attachments }: JobTerms): JobOrder {
    const { run_id, request, kept } = job;
    return {
      ...job,
      kind: JOB_KIND,
      busy: 'reject',
      action: 'start',
      turn: 1,
      instruction,
      attachments: attachments ?? request.attachments,
      model: null,
      effort: null,
      approvals,
      run_dir: kept ? new JobFolders(settings.jobs_dir).folderOf(run_id) : null,
    };
  }

  async #ask(host: Host, question: Question): Promise<void> {
    try {
      const { root_id } = await host.store.metadata(question.session_id);
      this.jobs.ofSession(root_id)?.ask({ host, question });
    } catch (error) {
      this.report({ level: 'error', code: 'QUESTION_LOST', message: errorInfo(error).message, error });
    }
  }

  /** Where everything of a folder lies. */
  paths(cwd: string): HostPaths {
    return hostPaths(cwd, this.environment);
  }
}

/** How a job is carried out. */
interface JobTerms {
  settings: DelegationSettings;
  approvals: Approvals;
  /** Null for a turn that needs none to continue. */
  instruction: string | null;
  /** Default: those of its request. */
  attachments?: string[];
}

/** What the caller says now of the model of a turn. */
interface TurnModel {
  model?: string | null | undefined;
  effort?: JobOrder['effort'] | undefined;
}

const GO_ON = 'You were cut off. Everything above has happened. Go on where you left off.';
