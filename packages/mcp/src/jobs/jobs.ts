import { dirname } from 'node:path';
import {
  type Environment,
  errorInfo,
  type HostPaths,
  hasCode,
  JOB_KIND,
  openAllRuns,
  type RunRecord,
  RunService,
  rootSessionId,
  ulidSource,
} from '@amplifier/host';
import { CANCEL_WAIT_S, MAX_RUNNING, REMEMBERED_JOBS } from '../defaults.js';
import { SHUTDOWN } from '../delegate/build-result.js';
import { McpToolError } from '../mcp-error.js';
import { isRunId, JobFolders, notFound } from './job-folders.js';
import { isJobOf, type JobOrder, type JobState } from './job-order.js';
import { LiveJob } from './live-job.js';
import { type JobParts, performJob, unrecorded } from './perform-job.js';
import { jobOfRun, projectJob } from './render-job.js';
import { type AllSessions, placeOf, sessionJobs } from './session-jobs.js';

/** The runs of this process, and the sessions of all projects. */
export interface ServedRuns {
  runs: RunService;
  store: AllSessions;
}

interface JobsOptions extends JobParts {
  paths: HostPaths;
  environment: Environment;
  /** Those of the process, which its opener closes. Default: opened and closed here. */
  served: ServedRuns | null;
  /** Those of the settings as they are now. */
  folders(): Promise<JobFolders>;
}

type OpenRuns = ServedRuns & AsyncDisposable;

const nextUlid = ulidSource();

/** Jobs as the tools see them, rendered from runs and sessions; those of this process with what their clients watch and answer. */
export class Jobs {
  readonly #options: JobsOptions;
  /** Those that are executed here, and the last of those that have ended. */
  readonly #live = new Map<string, LiveJob>();
  #runs: Promise<OpenRuns> | null = null;

  constructor(options: JobsOptions) {
    this.#options = options;
  }

  /** Those that are executed here, oldest first. */
  get live(): LiveJob[] {
    return [...this.#live.values()].filter(({ result }) => result === null);
  }

  /** A job of this process. */
  running(job_id: string, owner: string | null): LiveJob | undefined {
    const job = this.#live.get(job_id);
    if (job && !isJobOf(job.state, owner)) throw notFound(job_id);
    return job;
  }

  /** The one a session belongs to, by the root of its tree. */
  ofSession(root_id: string): LiveJob | undefined {
    return this.live.find(({ state }) => state.session?.session_id === root_id);
  }

  /** Refuses when too many run already. */
  checkRoom(): void {
    const { length } = this.live;
    if (length < MAX_RUNNING) return;
    throw new McpToolError(
      'TOO_MANY_JOBS',
      `${length} delegations run already, and this server allows ${MAX_RUNNING}. Wait for one with wait_job, or cancel one.`,
    );
  }

  /** Stores a job and executes it here, because its questions go to the client that is connected. See `RunService.submitJob`. */
  async submit(order: JobOrder, session: JobState['session'] = null): Promise<LiveJob> {
    const { runs } = await this.#open();
    const { run_id } = order;
    const job = new LiveJob(order, session, this.#options.clock.now());
    if (order.run_dir !== null) await new JobFolders(dirname(order.run_dir)).write(job.state);
    const before = this.#live.get(run_id);
    this.#live.delete(run_id);
    this.#live.set(run_id, job);
    const session_id = session?.session_id ?? rootSessionId(nextUlid());
    try {
      const { ended } = await runs.submitJob(
        { run_id, session_id, payload: order, caller: order.owner ?? '' },
        { perform: (active) => performJob(this.#options, job, active), stop: (by) => job.stop(by) },
      );
      void ended.then(() => job.end(job.state.result ?? unrecorded(job, this.#options.clock)));
    } catch (error) {
      if (before) this.#live.set(run_id, before);
      else this.#live.delete(run_id);
      if (!hasCode(error, 'RUN_EXISTS')) throw error;
      throw jobRunning(run_id, 'running');
    }
    this.#forget();
    return job;
  }

  /** The state of a job, in whichever process it is executed. One of another owner is not found. */
  async get(job_id: string, owner: string | null): Promise<JobState> {
    const job = this.running(job_id, owner);
    if (job) return job.state;
    if (!isRunId(job_id)) throw notFound(job_id);
    const folders = await this.#options.folders();
    const run = await this.#run(job_id);
    const known = run ? await folders.read(job_id).catch(() => undefined) : await folders.read(job_id);
    const state = (run && (await this.#ofRun(run))) ?? (await this.#withoutRun(job_id, known ?? null));
    if (!state || !isJobOf(state, owner)) throw notFound(job_id);
    // A folder that cannot be read is left as it is.
    if (state.kept && state.result && known !== undefined && !known?.result) await folders.write(state);
    return state;
  }

  /** Every job the owner may see, newest first. */
  async list(owner: string | null): Promise<{ jobs: JobState[]; problems: string[] }> {
    const { store, runs } = await this.#open();
    const { paths } = this.#options;
    const folders = await this.#options.folders();
    const { jobs: kept, problems } = await folders.list();
    const found = new Map([...this.#live.values()].map(({ run_id, state }) => [run_id, state]));
    for await (const run of runs.listJobs()) {
      if (found.has(run.run_id) || !isJobOf(run.payload as JobOrder, owner)) continue;
      try {
        const state = await this.#ofRun(run);
        if (state) found.set(run.run_id, state);
      } catch (error) {
        problems.push(`${run.run_id}: ${errorInfo(error).message}`);
      }
    }
    const runDir = ({ run_id, kept: isKept }: JobState) => (isKept ? folders.folderOf(run_id) : null);
    for (const state of kept)
      if (!found.has(state.run_id)) found.set(state.run_id, await projectJob(store, state, runDir(state)));
    for await (const state of sessionJobs(store, paths, { known: new Set(found.keys()) }))
      found.set(state.run_id, await projectJob(store, state, runDir(state)));
    const jobs = [...found.values()].filter((state) => isJobOf(state, owner));
    return { jobs: jobs.sort((a, b) => (a.run_id < b.run_id ? 1 : -1)), problems };
  }

  /** Stops a job, here or in another process. One that has ended stays as it is. */
  async cancel(job_id: string, owner: string | null): Promise<JobState> {
    const job = this.running(job_id, owner);
    if (job) {
      if (job.result === null) {
        job.stop('client');
        await job.ended;
      }
      return job.state;
    }
    const { status, session, request } = await this.get(job_id, owner);
    const { runs } = await this.#open();
    const run = await this.#run(job_id);
    const stop = { mode: 'immediate', cascade: true, by: 'client' } as const;
    if (run) await runs.wait(await runs.cancel(run, stop), CANCEL_WAIT_S);
    else if (session && (status === 'interrupted' || status === 'running')) {
      await using lent = await this.#options.hosts.lend({ cwd: request.working_dir, place: session });
      const { control } = lent.host.delegator;
      await control.cancel(session.session_id, { level: 'immediate', by: 'client' });
    }
    return this.get(job_id, owner);
  }

  /** Waits until the job has ended, so many seconds have passed or the signal aborts. */
  async wait(job_id: string, owner: string | null, seconds: number, signal: AbortSignal): Promise<JobState> {
    await this.get(job_id, owner);
    const { runs } = await this.#open();
    const run = await this.#run(job_id);
    if (run) await runs.wait(run, seconds, signal);
    return this.get(job_id, owner);
  }

  /** Cuts off what is executed here, so that it can be continued later. */
  async close(): Promise<void> {
    for (const job of this.live) job.stop(SHUTDOWN);
    await Promise.all(this.live.map(({ ended }) => ended));
    await (await this.#runs)?.[Symbol.asyncDispose]();
  }

  /** The runs of this process. */
  async runs(): Promise<RunService> {
    return (await this.#open()).runs;
  }

  #open(): Promise<OpenRuns> {
    this.#runs ??= this.#openRuns().catch((error) => {
      this.#runs = null;
      throw error;
    });
    return this.#runs;
  }

  async #openRuns(): Promise<OpenRuns> {
    const { paths, environment, clock, report, hosts, served } = this.#options;
    if (served) return { ...served, async [Symbol.asyncDispose]() {} };
    const { store, queue } = await openAllRuns(paths, report, environment);
    const of = async (session_id: string) => {
      const running = hosts.running(session_id);
      if (running) return running;
      const { root_id, project } = await store.metadata(session_id);
      const { working_dir } = await store.metadata(root_id);
      return hosts.get({ cwd: working_dir ?? paths.cwd, place: placeOf({ project }, paths) });
    };
    const runs = new RunService({ store, queue, hosts: { of }, clock, report });
    runs.start();
    const dispose = async () => {
      await runs.close();
      await queue.close();
      await store.close();
    };
    return { runs, store, [Symbol.asyncDispose]: dispose };
  }

  async #run(job_id: string): Promise<RunRecord | null> {
    const { runs } = await this.#open();
    const run = await runs.find(job_id);
    return run?.kind === JOB_KIND ? run : null;
  }

  async #ofRun(run: RunRecord): Promise<JobState | null> {
    const { store } = await this.#open();
    return jobOfRun(store, this.#options.paths, run);
  }

  /** A job whose run has expired, or of an earlier version: by its folder, else by its session. */
  async #withoutRun(job_id: string, known: JobState | null): Promise<JobState | null> {
    const { store } = await this.#open();
    const { paths } = this.#options;
    const { value } = known ? { value: known } : await sessionJobs(store, paths, { run_id: job_id }).next();
    if (!value) return null;
    const run_dir = value.kept ? (await this.#options.folders()).folderOf(job_id) : null;
    return projectJob(store, value, run_dir);
  }

  #forget(): void {
    const ended = [...this.#live.values()].filter(({ result }) => result !== null);
    for (const { run_id } of ended.slice(0, Math.max(0, ended.length - REMEMBERED_JOBS)))
      this.#live.delete(run_id);
  }
}

export function jobRunning(job_id: string, status: string): McpToolError {
  return new McpToolError(
    'JOB_RUNNING',
    `The job ${job_id} is ${status}. Wait for it with wait_job, or cancel it first.`,
  );
}
