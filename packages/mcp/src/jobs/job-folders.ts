import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { McpToolError } from '../mcp-error.js';
import { JobState } from './job-order.js';

const RUN_ID = /^job_[0-9A-HJKMNP-TV-Z]{26}$/;

/** Must be asked before an id becomes part of a path. */
export function isRunId(text: string): boolean {
  return RUN_ID.test(text);
}

/** The folders of jobs: `<jobs_dir>/<run_id>/` with `state.json`, and `answer.md` and `diff.patch` once there are any. */
export class JobFolders {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  folderOf(run_id: string): string {
    if (!isRunId(run_id)) throw notFound(run_id);
    return join(this.root, run_id);
  }

  /** On disk, whole, when it resolves. The answer comes before the state that says there is one. */
  async write(state: JobState): Promise<void> {
    const folder = this.folderOf(state.run_id);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const { result } = state;
    if (result) await writeFileAtomic(join(folder, 'answer.md'), `${result.text}\n`, { mode: 0o600 });
    if (result?.diff) await writeFileAtomic(join(folder, 'diff.patch'), result.diff, { mode: 0o600 });
    await writeFileAtomic(join(folder, 'state.json'), `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
  }

  /** Null when there is no such job. Throws for one that is there and cannot be read. */
  async read(run_id: string): Promise<JobState | null> {
    if (!isRunId(run_id)) return null;
    const file = join(this.folderOf(run_id), 'state.json');
    const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    return text === null ? null : parseState(text, file);
  }

  /** Every job there is, newest first; folders that cannot be read are named apart. */
  async list(): Promise<{ jobs: JobState[]; problems: string[] }> {
    const names = await readdir(this.root).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    const jobs: JobState[] = [];
    const problems: string[] = [];
    // The ids rise with time, so their order is the order of the jobs.
    for (const name of names.filter(isRunId).sort().reverse()) {
      try {
        const state = await this.read(name);
        if (state) jobs.push(state);
      } catch (error) {
        problems.push((error as Error).message);
      }
    }
    return { jobs, problems };
  }
}

export function notFound(job_id: string): McpToolError {
  return new McpToolError(
    'JOB_NOT_FOUND',
    `No job has the id '${job_id}'. Ask list_jobs for those there are.`,
  );
}

function parseState(text: string, file: string): JobState {
  try {
    return JobState.parse(JSON.parse(text));
  } catch (cause) {
    throw new McpToolError(
      'JOB_UNREADABLE',
      `${file} is damaged: ${(cause as Error).message} The session it belongs to may still be whole.`,
    );
  }
}
