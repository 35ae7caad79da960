import type { AgentFolder } from '@amplifier/acp';
import {
  findSession,
  type Host,
  HostError,
  type HostPaths,
  HostPool,
  hostPaths,
  type Question,
  type StorePlace,
  systemClock,
} from '@amplifier/host';
import type { Cli } from '../../cli.js';
import { type CliHostOptions, openCliHost } from '../../open/open-host.js';
import { acpFolder } from './acp-folder.js';

export interface AcpFoldersOptions {
  offline: boolean;
  bundle: string | undefined;
  /** Told of every question of every session, and who takes the answer. */
  onQuestion(question: Question, delegator: Host['delegator']): void;
  /** The files as the editor has them, for a session. */
  files: NonNullable<CliHostOptions['editorFiles']>;
  terminal: NonNullable<CliHostOptions['editorTerminal']>;
}

/** The folders an editor works in, each opened when it is first needed. `close` when the editor has gone. */
export class AcpFolders implements AsyncDisposable {
  readonly #cli: Cli;
  readonly #options: AcpFoldersOptions;
  /** All stay open: a session may be given another turn at any time. */
  readonly #hosts = new HostPool({ clock: systemClock });

  constructor(cli: Cli, options: AcpFoldersOptions) {
    this.#cli = cli;
    this.#options = options;
  }

  /** The product in a folder; for a session on disk, over the sessions among which that one lies. */
  async open(cwd: string, session_id?: string): Promise<AgentFolder> {
    const cli = { ...this.#cli, cwd };
    const place = session_id === undefined ? null : await elsewhere(session_id, hostPaths(cwd));
    // Where the mode allows everything nobody is asked; both kinds see the same sessions.
    return acpFolder((asks) => {
      const key = JSON.stringify([cwd, asks, place?.sessions ?? null]);
      return this.#hosts.get(key, () => this.#open(cli, asks, place ? { place } : {}));
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#hosts.close();
  }

  async #open(cli: Cli, asks: boolean, where: Pick<CliHostOptions, 'place'>): Promise<Host> {
    const { offline, bundle, onQuestion, files, terminal } = this.#options;
    const opened: { host: Host | null } = { host: null };
    opened.host = await openCliHost(cli, {
      offline,
      bundle,
      editorFiles: files,
      editorTerminal: terminal,
      ...where,
      hooks: asks ? [{ module: 'hooks-approval' }] : [],
      onQuestion: (question) => {
        if (opened.host) onQuestion(question, opened.host.delegator);
      },
    });
    return opened.host;
  }
}

/** Where a session lies, when that is not among those of the folder; null also when it is nowhere. */
async function elsewhere(session_id: string, paths: HostPaths): Promise<StorePlace | null> {
  try {
    const { place } = await findSession(session_id, paths);
    return place.sessions === paths.sessions ? null : place;
  } catch (error) {
    if (error instanceof HostError && error.code === 'SESSION_NOT_FOUND') return null;
    throw error;
  }
}
