import { realpath, stat } from 'node:fs/promises';
import {
  type CircuitBreaker,
  type Clock,
  type Environment,
  Host,
  type HostOptions,
  HostPool,
  hostPaths,
  type LentHost,
  openProject,
  type Project,
  type ProjectOptions,
  type Question,
  type Report,
  type RunService,
  type SafetyMode,
} from '@amplifier/host';
import { OPEN_PROJECTS, PROJECT_UNUSED_MS } from './defaults.js';
import { McpToolError } from './mcp-error.js';

export interface HostsOptions {
  offline: boolean;
  clock: Clock;
  environment: Environment;
  report: Report;
  /** Throws for a folder that callers may not work in; gives back its real place. */
  allowsFolder: (folder: string) => Promise<string>;
  onQuestion: (host: Host, question: Question) => void;
  /** Which agents fail, in all projects. */
  breaker: CircuitBreaker;
  /** The runs of this process. */
  runs: () => Promise<RunService>;
  /** What the operator keeps sessions to. */
  bounds: Pick<ProjectOptions, 'readable' | 'homes'>;
}

/**
 * What a person is asked about: nothing, because nobody is there or nobody wants to be; what would leave the machine, where
 * nothing of theirs can be changed anyway; or every change, too.
 */
export const APPROVALS = ['none', 'leaving', 'changes'] as const;
export type Approvals = (typeof APPROVALS)[number];

/** Which folder, and what is there somebody to be asked about? */
export interface HostWish {
  cwd: string;
  approvals?: Approvals;
  /** Sessions that lie elsewhere than the folder's own. */
  place?: HostOptions['place'];
}

const APPROVAL_HOOKS = {
  leaving: {
    module: 'hooks-approval',
    config: { rules: [{ tool: ['web_fetch', 'mcp_*'], action: 'ask' }] },
  },
  changes: { module: 'hooks-approval' },
} as const;

/** The projects this server works in, each opened when it is first needed and kept open for the next call. */
export class Hosts implements AsyncDisposable {
  readonly #options: HostsOptions;
  readonly #pool: HostPool;

  constructor(options: HostsOptions) {
    this.#options = options;
    this.#pool = new HostPool({
      clock: options.clock,
      most: OPEN_PROJECTS,
      unusedMs: PROJECT_UNUSED_MS,
    });
  }

  /** The one that runs a turn of the session at this moment. */
  running(session_id: string): Host | undefined {
    return this.#pool.running(session_id);
  }

  /** The host as it is now, which a later call may close. */
  async get(wish: HostWish): Promise<Host> {
    await using lent = await this.lend(wish);
    return lent.host;
  }

  /** Lends the host (`await using`). One that was opened before trust or settings changed is not lent again. */
  async lend({ cwd, approvals = 'none', place }: HostWish): Promise<LentHost> {
    const folder = await this.#options.allowsFolder(cwd);
    const paths = hostPaths(folder, this.#options.environment);
    const key = await this.#pool.keyOf(paths, approvals, place?.sessions ?? null);
    return this.#pool.lend(key, () => this.#open(folder, approvals, place));
  }

  /** The files of a folder, read anew. */
  async project(cwd: string): Promise<Project> {
    const { report, environment, bounds, allowsFolder } = this.#options;
    return openProject({ cwd: await allowsFolder(cwd), environment, report, ...bounds });
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #open(cwd: string, approvals: Approvals, place: HostOptions['place']): Promise<Host> {
    const { offline, onQuestion, runs, breaker } = this.#options;
    const opened: { host: Host | null } = { host: null };
    opened.host = await Host.open(await this.project(cwd), {
      offline,
      place,
      runs,
      breaker,
      ...(approvals === 'none'
        ? {}
        : {
            hooks: [APPROVAL_HOOKS[approvals]],
            onQuestion: (question: Question) => {
              if (opened.host) onQuestion(opened.host, question);
            },
          }),
    });
    return opened.host;
  }
}

/** What a person who can be asked wants to be asked about. `yolo` means: nothing. */
export function approvalsFor(safety_mode: SafetyMode, can_ask: boolean): Approvals {
  if (!can_ask || safety_mode === 'yolo') return 'none';
  return safety_mode === 'write' ? 'changes' : 'leaving';
}

/** The folder as it really is called. */
export async function realFolder(path: string): Promise<string> {
  const place = await realpath(path).catch(() => null);
  if (place !== null && (await stat(place)).isDirectory()) return place;
  throw new McpToolError('INVALID_INPUT', `working_dir: ${path} is not a folder.`);
}
