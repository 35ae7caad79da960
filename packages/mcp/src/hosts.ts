import { realpath, stat } from 'node:fs/promises';
import {
  type Environment,
  Host,
  type HostOptions,
  hostPaths,
  keptFolderTrust,
  openProject,
  type Project,
  type ProjectOptions,
  type Question,
  type Report,
  type SafetyMode,
} from '@amplifier/host';
import { OPEN_PROJECTS } from './defaults.js';
import { McpToolError } from './mcp-error.js';

export interface HostsOptions {
  offline: boolean;
  environment: Environment;
  report: Report;
  /** Throws for a folder that callers may not work in; gives back its real place. */
  allowsFolder: (folder: string) => Promise<string>;
  onQuestion: (host: Host, question: Question) => void;
  /** What the operator keeps sessions to. */
  bounds: Pick<ProjectOptions, 'readable' | 'homes'>;
}

/**
 * What a person is asked about: nothing, because nobody is there or nobody wants to be; what would leave the machine, where
 * nothing of theirs can be changed anyway; or every change, too.
 */
export type Approvals = 'none' | 'leaving' | 'changes';

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

interface Held {
  host: Promise<Host>;
  users: number;
  used: number;
}

/** The projects this server works in, each opened when it is first needed and held for the next call. */
export class Hosts implements AsyncDisposable {
  #options: HostsOptions;
  #held = new Map<string, Held>();
  readonly #trustOf = keptFolderTrust();
  #clock = 0;

  constructor(options: HostsOptions) {
    this.#options = options;
  }

  /** Lends the host for as long as `use` takes. */
  async use<T>(wish: HostWish, use: (host: Host) => Promise<T>): Promise<T> {
    const { key, held } = await this.#take(wish);
    held.users += 1;
    held.used = ++this.#clock;
    try {
      return await use(await held.host);
    } catch (error) {
      // A host that could not be opened must not be what the next call gets.
      if (
        await held.host.then(
          () => false,
          () => true,
        )
      )
        this.#held.delete(key);
      throw error;
    } finally {
      held.users -= 1;
      await this.#closeIdle(OPEN_PROJECTS);
    }
  }

  /** The files of a folder, read anew. */
  async project(cwd: string): Promise<Project> {
    const { report, environment, bounds, allowsFolder } = this.#options;
    return openProject({ cwd: await allowsFolder(cwd), environment, report, ...bounds });
  }

  async close(): Promise<void> {
    await this.#closeIdle(0);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #take({ cwd, approvals = 'none', place }: HostWish): Promise<{ key: string; held: Held }> {
    const folder = await this.#options.allowsFolder(cwd);
    // Whether its files may act is asked for each call: one that was opened before a person said yes, or no, is not used again.
    const { state, digest } = await this.#trustOf(hostPaths(folder, this.#options.environment));
    const key = JSON.stringify([folder, approvals, place?.sessions ?? null, state, digest]);
    const known = this.#held.get(key);
    if (known) return { key, held: known };
    const held: Held = { host: this.#open(folder, approvals, place), users: 0, used: 0 };
    held.host.catch(() => {});
    this.#held.set(key, held);
    return { key, held };
  }

  async #open(cwd: string, approvals: Approvals, place: HostOptions['place']): Promise<Host> {
    const { offline, onQuestion } = this.#options;
    const opened: { host: Host | null } = { host: null };
    opened.host = await Host.open(await this.project(cwd), {
      offline,
      ...(place ? { place } : {}),
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

  async #closeIdle(keep: number): Promise<void> {
    const idle = [...this.#held]
      .filter(([, { users }]) => users === 0)
      .sort(([, a], [, b]) => b.used - a.used);
    const spare = Math.max(0, this.#held.size - keep);
    for (const [key, { host }] of idle.reverse().slice(0, spare)) {
      this.#held.delete(key);
      await host.then(
        (opened) => opened.close(),
        () => {},
      );
    }
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
