import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { errorInfo, type JsonObject, type MountPlan, type Provider } from '@amplifier/core';
import {
  type AgentCatalog,
  type DelegateConfig,
  type Delegation,
  type Delegator,
  delegateConfigOf,
  type LaunchRecord,
  type LimitOptions,
  type Outcome,
  type Parent,
  type StoredParentOptions,
  type TurnRights,
  type Watching,
} from '@amplifier/delegation';
import {
  applyProviderPreferences,
  chooseRootModel,
  type ModelCatalog,
  type ModelOptions,
  type ModelRoleResolver,
  modelCatalog,
  type ProviderPreference,
  planRoles,
  type RootModels,
  snapshotBundle,
} from '@amplifier/foundation';
import type { RunQueue, SessionLogs, SessionStore } from '@amplifier/sessions';
import { type NetworkAccess, type SafetyMode, sessionGrant, tighterNetwork } from '@amplifier/workspace';
import { assembleHost, type HostOptions, type HostParts } from './assembly/assemble-host.js';
import { ROOT_LIMITS } from './defaults.js';
import { externalAgents } from './external-agents/list-external-agents.js';
import { HostError } from './host-error.js';
import { projectModels } from './models/project-roles.js';
import {
  namesOf,
  noModel,
  type ProviderReading,
  readProviders,
  usableProviders,
} from './models/read-providers.js';
import type { Project } from './project/project.js';
import { projectGrant, projectNetwork, unreadableIn } from './project/project-grant.js';
import { serveBackground } from './runs/background-worker.js';
import { rootRequest } from './runs/root-request.js';
import type { RunRequest } from './runs/run-request.js';
import { serverVariables } from './servers/lend-servers.js';
import { requireTrust } from './trust/workspace-trust.js';

/** The engine of sessions that run here, on a model. */
const IN_PROCESS = 'in_process';

/** What a session that brings its own plan is run with. */
export interface SessionSetting {
  cwd: string;
  trusted: boolean;
  safety_mode: SafetyMode;
  /** What of it may reach the network; absent: as much as the folder and the settings allow. */
  network?: NetworkAccess | undefined;
  /** Folders of our own state that no session may touch. */
  homes: readonly string[];
  /** The only folders that it may read; absent: all but secrets and homes. */
  readable?: readonly string[] | undefined;
  limits?: LimitOptions;
}

/** A project brought to life: its plan, its providers, its sessions, and the Delegator over all of them. */
export class Host implements AsyncDisposable {
  readonly project: Project;
  readonly plan: MountPlan;
  /** What became of each provider of the plan. */
  readonly readings: readonly ProviderReading[];
  readonly providers: ReadonlyMap<string, Provider>;
  readonly store: SessionStore;
  /** Gives out the right to write sessions. */
  readonly logs: SessionLogs;
  readonly queue: RunQueue;
  readonly delegator: Delegator;
  /** Every agent that can be delegated to, external ones included. */
  readonly agents: AgentCatalog;
  readonly #parts: HostParts;
  #bundle: string | undefined;

  private constructor(parts: HostParts) {
    this.#parts = parts;
    this.project = parts.project;
    this.plan = parts.plan;
    this.readings = parts.readings;
    this.providers = usableProviders(parts.readings);
    this.store = parts.store;
    this.logs = parts.logs;
    this.queue = parts.queue;
    this.delegator = parts.delegator;
    this.agents = parts.catalog;
  }

  static async open(project: Project, options: HostOptions = {}): Promise<Host> {
    return new Host(await assembleHost(project, options));
  }

  /** Throws when no provider can be used, with the reasons. */
  requireModel(): void {
    if (this.providers.size === 0) throw noModel(this.readings);
  }

  /** Throws when the agent needs a model of ours and none can be used. An external agent brings its own. */
  async requireModelFor(agent: string | undefined): Promise<void> {
    if (!(await this.isExternal(agent))) this.requireModel();
  }

  /**
   * Throws where an external agent would change files in a folder nobody trusts. One of ours works for a person who is here;
   * an external one does as it likes.
   */
  async requireTrustFor(agent: string | undefined, safety_mode: SafetyMode): Promise<void> {
    if (!(await this.isExternal(agent))) return;
    await this.#requireInstalled(agent ?? '');
    const { paths, settings } = this.project;
    await requireTrust(paths.cwd, safety_mode, settings, agent);
  }

  /** Nobody is asked to trust a folder for the sake of a program that is not there. */
  async #requireInstalled(name: string): Promise<void> {
    const id = name.replace(/^acp:/, '');
    const found = (await externalAgents(this.project)).find(({ agent }) => agent.id === id);
    if (!found || found.program !== null) return;
    const { display_name, install } = found.agent;
    const how = install ? ` Install it with: ${install}` : '';
    throw new HostError(
      `${display_name} is not installed, so '${name}' cannot be delegated to.${how} 'amplifier agent list' shows which agents are.`,
      { code: 'AGENT_NOT_INSTALLED', origin: name },
    );
  }

  /** The same for a session on disk: trust may have been withdrawn since. */
  async requireTrustToResume(session_id: string, mode?: SafetyMode): Promise<void> {
    const launch = (await this.store.document(session_id, 'launch')) as LaunchRecord | null;
    if (launch === null || launch.engine === IN_PROCESS) return;
    const { workspace, safety_mode, agent } = launch;
    await requireTrust(workspace.cwd, mode ?? safety_mode, this.project.settings, agent.name ?? undefined);
  }

  /** Is the agent a program of its own, with models of its own? */
  async isExternal(agent: string | undefined): Promise<boolean> {
    const engine = agent === undefined ? undefined : (await this.agents.find(agent))?.engine;
    return engine !== undefined && engine !== IN_PROCESS;
  }

  /**
   * What a turn of a stored session may do in another safety mode, or with another network, than it was launched with; undefined for
   * its own. One that was
   * imported gets here what it is launched with: the plan of this folder, and `read_only` unless a mode is named.
   */
  async rightsFor(
    session_id: string,
    safety_mode: SafetyMode | undefined,
    trusted: boolean,
    trust_declared = false,
    network?: NetworkAccess,
  ): Promise<TurnRights | undefined> {
    const launch = (await this.store.document(session_id, 'launch')) as LaunchRecord | null;
    if (launch === null) {
      const mode = safety_mode ?? 'read_only';
      await this.delegator.adopt(session_id, () =>
        this.#rootRequest({ instruction: '', safety_mode: mode, trusted, network }),
      );
      return undefined;
    }
    const { cwd } = launch.workspace;
    const mode = safety_mode ?? launch.safety_mode;
    const reach = network ?? launch.grant.network;
    if (mode === launch.safety_mode && reach === launch.grant.network) return undefined;
    const rules = { plan: launch.plan, live: this.#parts.permissions };
    const grant = await projectGrant(this.project, cwd, mode, trusted, reach, rules);
    return { safety_mode: mode, grant, trusted, trust_declared };
  }

  /** What MCP servers that somebody lends need is at hand from now on. Sessions only refer to it: say it again in each process. */
  lend(mcp_servers: readonly JsonObject[]): void {
    Object.assign(this.#parts.variables, serverVariables(mcp_servers));
  }

  /** Starts a session and runs its first turn. */
  async run(request: RunRequest): Promise<{ outcome: Outcome; launch: LaunchRecord }> {
    await this.requireModelFor(request.agent);
    return this.delegator.start(await this.#rootRequest(request));
  }

  /** The launch a request would lead to, and nothing else. */
  async planRun(request: RunRequest): Promise<LaunchRecord> {
    await this.requireModelFor(request.agent);
    const { launch: record } = await this.delegator.planRoot(await this.#rootRequest(request));
    return record;
  }

  /** Makes a session that waits for children or for its first instruction. */
  async create(request: Omit<RunRequest, 'instruction'>): Promise<LaunchRecord> {
    return this.delegator.create(await this.#rootRequest({ ...request, instruction: '' }));
  }

  /**
   * Hands a task to a child of a stored session, or, after a crash, brings the child of the same call to its end. Without a log of
   * the caller's own, that it was handed over and how it ended is written into that session's log.
   */
  async delegate(
    session_id: string,
    request: DelegateWish,
    watching: Watching & Pick<StoredParentOptions, 'log'> = {},
  ): Promise<Delegation> {
    const { parent, config } = await this.#parentOf(session_id, watching);
    const { tool_call_id: id, session_id: child = null } = request;
    const finished =
      id === undefined ? null : await this.delegator.finishCall(parent, { id, session_id: child });
    return finished ?? (await this.delegator.delegate(request, parent, config));
  }

  /** Throws what `delegate` would be refused with for who is asked and how. Changes nothing. */
  async checkDelegation(session_id: string, request: DelegateWish): Promise<void> {
    if (request.session_id !== undefined)
      await this.delegator.control.descendant(request.session_id, session_id);
    else {
      const { parent, config } = await this.#parentOf(session_id, {});
      await this.delegator.plan(request, parent, config);
    }
  }

  /** What a delegation would be launched with. Changes nothing and spends nothing. */
  async planDelegation(session_id: string, request: DelegateWish): Promise<LaunchRecord> {
    const { parent, config } = await this.#parentOf(session_id, {});
    return (await this.delegator.plan(request, parent, config)).launch;
  }

  /** A stored session as the parent of delegations from outside. */
  async parent(session_id: string, watching: StoredParentOptions = {}): Promise<Parent> {
    return (await this.#parentOf(session_id, watching)).parent;
  }

  /** Gives a session that was made with a plan of its own the record it is run from. What it is run with is settled here, once. */
  adopt(
    session_id: string,
    settle: () => Promise<{ plan: MountPlan; setting: SessionSetting }>,
  ): Promise<LaunchRecord> {
    return this.delegator.adopt(session_id, async () => {
      const { plan, setting } = await settle();
      const { trusted, safety_mode, limits, homes, readable } = setting;
      const own = this.project.isDeployment ? trusted || 'tools' : projectNetwork(this.project, trusted);
      const network = tighterNetwork(own, setting.network);
      const { trust } = this.project;
      const cwd = await realpath(setting.cwd);
      const unreadable = await unreadableIn(this.project, cwd, plan, this.#parts.permissions);
      const bounds = { network, unreadable, readable };
      const scope = { cwd, trusted, home: homedir(), homes, locked: trust.locked, ...bounds };
      return {
        plan,
        cwd,
        trusted,
        // The operator named the folders that sessions may work in.
        trust_declared: trusted,
        ...(trust.state === 'trusted' ? { acting: trust.digest } : {}),
        safety_mode,
        grant: await sessionGrant(safety_mode, scope),
        limits: { ...ROOT_LIMITS, ...limits },
      };
    });
  }

  get #models(): RootModels {
    return projectModels(this.project, this.plan, this.providers);
  }

  /** The preferences that a provider or model resolves to; a role is resolved at launch. */
  preferences({ provider, model }: ModelOptions): Promise<ProviderPreference[]> {
    return chooseRootModel({ provider, model }, this.#models);
  }

  /** The providers a turn of a stored session is to run on, where somebody wishes for others than it has. */
  async providersFor(offline: boolean, wish: ModelOptions): Promise<MountPlan['providers'] | null> {
    if (offline) return this.plan.providers ?? [];
    const preferences = await chooseRootModel(wish, this.#models);
    if (preferences.length === 0) return null;
    const { plan } = await applyProviderPreferences(this.plan, preferences, modelCatalog(this.providers));
    return plan.providers ?? [];
  }

  /** The text that sessions of the project's own bundle begin with, as its files are now, read with the rights to look in `cwd`. */
  async bundlePrompt(cwd: string): Promise<string> {
    const rules = { live: this.#parts.permissions };
    const grant = await projectGrant(this.project, cwd, 'read_only', false, undefined, rules);
    return this.#parts.prompts.bundle({ cwd, grant });
  }

  /** How the plan configures delegation, for an entry point that delegates itself. */
  get delegateConfig(): DelegateConfig {
    return delegateConfigOf(this.plan);
  }

  /** Runs waiting background work until there has been none for a while. */
  serve(signal: AbortSignal, idleMs?: number): Promise<void> {
    const { background } = this.#parts;
    return serveBackground({ background, queue: this.queue, project: this.project }, signal, idleMs);
  }

  close(): Promise<void> {
    return this.#parts.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** A stored session as a parent, with the models of the plan it was launched with, which need not be this folder's. */
  async #parentOf(session_id: string, watching: StoredParentOptions) {
    const launch = (await this.store.document(session_id, 'launch')) as LaunchRecord | null;
    const { plan = this.plan } = launch ?? {};
    const { loader, sources } = this.#parts;
    // By name: stored plans lack the secrets that this one has.
    const isOwn = namesOf(plan) === namesOf(this.plan);
    const providers = isOwn ? this.providers : usableProviders(await readProviders(plan, loader, sources));
    const models = modelCatalog(providers);
    const roles = await this.#roles(models, plan, providers);
    const parent = await this.delegator.parent(session_id, { ...watching, models, roles });
    return { parent, config: delegateConfigOf(plan) };
  }

  /** The bundle as it is now: a session says what it was made of however the files change. */
  #snapshot(): string {
    this.#bundle ??= snapshotBundle(this.project.bundle);
    return this.#bundle;
  }

  /** The roles of a plan. The hook that brings them says in each session what is wrong with its matrix. */
  #roles(
    models: ModelCatalog,
    plan = this.plan,
    providers = this.providers,
  ): Promise<ModelRoleResolver | null> {
    return planRoles(plan, providers, models).catch((error) => {
      const { message } = errorInfo(error);
      this.project.report({ level: 'warning', code: 'ROUTING', message, error });
      return null;
    });
  }

  async #rootRequest(request: RunRequest) {
    const isExternal = await this.isExternal(request.agent);
    if (!isExternal) this.lend(request.mcp_servers ?? []);
    const sources = {
      ...this.#parts,
      providers: this.providers,
      bundle: this.#snapshot(),
      isExternal,
      roles: (models: ModelCatalog) => this.#roles(models),
    };
    return rootRequest(sources, request);
  }
}

/** As much of a delegation as says which call and which child it is. */
interface DelegateWish {
  tool_call_id?: string | undefined;
  session_id?: string | undefined;
  [member: string]: unknown;
}
