import type { AgentFolder, AgentModel } from '@amplifier/acp';
import {
  CircuitBreaker,
  findSession,
  type Host,
  HostError,
  type HostPaths,
  HostPool,
  hostPaths,
  type JsonObject,
  type Question,
  requireTrust,
  type SafetyMode,
  type StorePlace,
  systemClock,
} from '@amplifier/host';
import type { Cli } from '../../cli.js';
import { type CliHostOptions, openCliHost } from '../../open/open-host.js';

/** An editor that opens a session does not want to wait for a provider that is slow to say what it has. */
const LISTING_MS = 2000;

/** Listed once for each host: providers answer slowly. */
const MODELS = new WeakMap<Host, Promise<AgentModel[]>>();

export interface AcpFoldersOptions {
  offline: boolean;
  bundle: string | undefined;
  /** Called with every question of every session, and the delegator that takes the answer. */
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
  readonly #breaker = new CircuitBreaker(systemClock);

  constructor(cli: Cli, options: AcpFoldersOptions) {
    this.#cli = cli;
    this.#options = options;
  }

  /**
   * Opens the product in a folder; for a stored session, on the project of that session. Modes that ask before every change need no trust
   * in the folder; modes that do not ask need it.
   */
  async open(cwd: string, session_id?: string): Promise<AgentFolder> {
    const place = session_id === undefined ? null : await elsewhere(session_id, hostPaths(cwd));
    const asking = await this.#host(cwd, true, place);
    const hostFor = async (safety_mode: SafetyMode): Promise<Host> => {
      if (safety_mode !== 'yolo') return asking;
      const { paths, settings } = asking.project;
      await requireTrust(paths.cwd, safety_mode, settings);
      return this.#host(cwd, false, place);
    };
    return {
      store: asking.store,
      models: () => {
        const listed = MODELS.get(asking) ?? modelsOf(asking);
        MODELS.set(asking, listed);
        return listed;
      },
      start: async ({ id, safety_mode, model, mcp_servers }, turn) => {
        const { outcome } = await (await hostFor(safety_mode)).run({
          ...turn,
          ...chosen(model),
          session_id: id,
          safety_mode,
          trusted: true,
          mcp_servers: mcp_servers as unknown as JsonObject[],
        });
        return outcome;
      },
      resume: async ({ id, safety_mode, mcp_servers }, { instruction, ...watching }) => {
        const host = await hostFor(safety_mode);
        host.lend(mcp_servers as unknown as JsonObject[]);
        const rights = await host.rightsFor(id, safety_mode, true);
        return (await host.delegator.resume(id, instruction, { ...watching, rights })).outcome;
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#hosts.close();
  }

  /** `asks`: whether the editor is asked about changes. Hosts of both kinds see the same sessions. */
  #host(cwd: string, asks: boolean, place: StorePlace | null): Promise<Host> {
    const key = JSON.stringify([cwd, asks, place?.sessions ?? null]);
    return this.#hosts.get(key, () => this.#open({ ...this.#cli, cwd }, asks, place ? { place } : {}));
  }

  async #open(cli: Cli, asks: boolean, where: Pick<CliHostOptions, 'place'>): Promise<Host> {
    const { offline, bundle, onQuestion, files, terminal } = this.#options;
    const opened: { host: Host | null } = { host: null };
    opened.host = await openCliHost(cli, {
      offline,
      bundle,
      breaker: this.#breaker,
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

/** The project of a session that is not one of the folder's; null if the session is unknown. */
async function elsewhere(session_id: string, paths: HostPaths): Promise<StorePlace | null> {
  try {
    const { place } = await findSession(session_id, paths);
    return place.sessions === paths.sessions ? null : place;
  } catch (error) {
    if (error instanceof HostError && error.code === 'SESSION_NOT_FOUND') return null;
    throw error;
  }
}

/** `provider/model`: models of several providers may have the same name. */
function chosen(id: string | null): { provider?: string; model?: string } {
  const [, provider, model] = /^([^/]+)\/(.+)$/.exec(id ?? '') ?? [];
  return provider === undefined || model === undefined ? {} : { provider, model };
}

/** The default model of the provider a session would use first, then all there are. */
async function modelsOf({ readings }: Host): Promise<AgentModel[]> {
  const usable = readings.flatMap(({ name, provider }) => (provider ? [{ name, provider }] : []));
  const listed = await Promise.all(
    usable.map(async ({ name, provider }) => {
      const infos = await inTime(provider.listModels());
      const windows = new Map(infos.map(({ id, context_window }) => [id, context_window]));
      const { defaultModel } = provider;
      const all = [...(defaultModel === undefined ? [] : [defaultModel]), ...windows.keys()];
      return [...new Set(all)].map((id) => {
        const context_window = windows.get(id) ?? provider.modelInfo?.(id)?.context_window;
        return { id: `${name}/${id}`, name: `${id} (${name})`, context_window };
      });
    }),
  );
  return listed.flat();
}

/** Nothing where the answer does not come, or not in time. */
function inTime<T>(listing: Promise<T[]>): Promise<T[]> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve([]), LISTING_MS);
    listing.then(resolve, () => resolve([])).finally(() => clearTimeout(timer));
  });
}
