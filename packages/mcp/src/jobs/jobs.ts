import type { HostPaths } from '@amplifier/host';
import type { Hosts } from '../hosts.js';
import type { Run } from '../run/run.js';
import type { Runs } from '../run/runs.js';
import { isRunId, type JobFolders, notFound } from './job-folders.js';
import { isJobOf, type JobState } from './job-state.js';
import { projectJob } from './project-job.js';
import { findSessionJob, listSessionJobs } from './session-jobs.js';

interface JobsParts {
  runs: Runs;
  hosts: Hosts;
  /** Read for each call: the settings may have changed. */
  folders(): Promise<JobFolders>;
  paths: HostPaths;
}

/** The jobs of this process and of others: reading, waiting, cancelling. */
export class Jobs {
  readonly #parts: JobsParts;

  constructor(parts: JobsParts) {
    this.#parts = parts;
  }

  /** How a job stands, whoever runs it. One of somebody else is one that is not there. */
  async get(job_id: string, owner: string | null): Promise<JobState> {
    const run = this.running(job_id, owner);
    if (run) return run.state;
    const folders = await this.#parts.folders();
    const state = (await folders.read(job_id)) ?? (await this.#unlisted(job_id));
    if (!isJobOf(state, owner)) throw notFound(job_id);
    return this.#project(state, folders);
  }

  /** A job that runs in this process. */
  running(job_id: string, owner: string | null): Run | undefined {
    const run = this.#parts.runs.get(job_id);
    if (run && !isJobOf(run.state, owner)) throw notFound(job_id);
    return run;
  }

  /** Every job there is for the one who asks, newest first. */
  async list(owner: string | null): Promise<{ jobs: JobState[]; problems: string[] }> {
    const folders = await this.#parts.folders();
    const { jobs, problems } = await folders.list();
    const here = new Map(this.#parts.runs.all().map((run) => [run.run_id, run.state]));
    const known = new Set([...here.keys(), ...jobs.map(({ run_id }) => run_id)]);
    const unlisted = await listSessionJobs(this.#parts.paths, known);
    const others = [...jobs.filter(({ run_id }) => !here.has(run_id)), ...unlisted];
    const projected = await Promise.all(others.map((state) => this.#project(state, folders)));
    const all = [...here.values(), ...projected]
      .filter((state) => isJobOf(state, owner))
      .sort((a, b) => (a.run_id < b.run_id ? 1 : -1));
    return { jobs: all, problems };
  }

  /** Stops a job, here or in another process. One that has ended stays as it is. */
  async cancel(job_id: string, owner: string | null): Promise<JobState> {
    const run = this.running(job_id, owner);
    if (run) {
      if (run.result === null) {
        run.stop('client');
        await run.ended;
      }
      return run.state;
    }
    const state = await this.get(job_id, owner);
    const { session, request } = state;
    if (session && (state.status === 'running' || state.status === 'interrupted')) {
      await this.#parts.hosts.use({ cwd: request.working_dir, place: session }, ({ delegator }) =>
        delegator.control.cancel(session.session_id, { level: 'immediate', by: 'client' }),
      );
    }
    return this.get(job_id, owner);
  }

  /** Waits until the job has ended or the signal aborts. */
  async wait(job_id: string, owner: string | null, signal: AbortSignal): Promise<JobState> {
    const state = await this.get(job_id, owner);
    const { session, request } = state;
    if (state.status === 'running' && session && !this.#parts.runs.get(job_id)) {
      await this.#parts.hosts.use({ cwd: request.working_dir, place: session }, ({ delegator }) =>
        delegator.control.wait([session.session_id], { signal }),
      );
    }
    return this.get(job_id, owner);
  }

  /** A job that has no folder, or has none any more, by the log of its session. */
  async #unlisted(job_id: string): Promise<JobState> {
    const state = isRunId(job_id) ? await findSessionJob(job_id, this.#parts.paths) : null;
    if (!state) throw notFound(job_id);
    return state;
  }

  async #project(state: JobState, folders: JobFolders): Promise<JobState> {
    const { kept, run_id } = state;
    const now = await projectJob(state, kept ? folders.folderOf(run_id) : null);
    if (kept && now.result && !state.result) await folders.write(now);
    return now;
  }
}
