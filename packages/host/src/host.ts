import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import type { CancellationToken, DisplaySystem, JsonObject, MountPlan, Provider } from '@amplifier/core';
import { errorInfo, moduleSpec, systemClock, withFailover } from '@amplifier/core';
import {
  type AgentCatalog,
  agentPreferences,
  type DelegateConfig,
  type Delegation,
  Delegator,
  type LaunchRecord,
  type Limits,
  type Outcome,
  type Parent,
  type Question,
  type RootRequest,
  type StoredParentOptions,
  type TurnRights,
  type Watching,
} from '@amplifier/delegation';
import {
  applyProviderPreferences,
  type ModelCatalog,
  type ModelRoleResolver,
  modelCatalog,
  type ProviderPreference,
  planRoles,
  snapshotBundle,
} from '@amplifier/foundation';
import type { EditorFiles } from '@amplifier/modules';
import type { RunQueue, SqlSessionStore } from '@amplifier/sessions';
import { grantForSafetyMode, keepOutOfGit, ownHomes, type SafetyMode } from '@amplifier/workspace';
import { agentCatalog, mustHaveAgent } from './agent-catalog.js';
import { serveBackground, type WorkerCommand, WorkerStarter } from './background-worker.js';
import { BriefLog } from './brief-log.js';
import { chooseProviders } from './choose-providers.js';
import { chooseRootModel, type ModelWish } from './choose-root-model.js';
import { ROOT_LIMITS } from './defaults.js';
import { delegateConfigOf } from './delegate-config-of.js';
import { bothCatalogs, ExternalAgents } from './external-agents.js';
import type { StorePlace } from './find-session.js';
import { folderContexts } from './folder-context.js';
import { HostError } from './host-error.js';
import { leaveOutRouting } from './leave-out-routing.js';
import { lendKeys } from './lend-keys.js';
import { lendServers, serverVariables } from './lend-servers.js';
import { externalAgents } from './list-external-agents.js';
import { moduleLoader, moduleSources } from './module-loader.js';
import type { Project } from './open-project.js';
import { openQueue, openStore } from './open-store.js';
import { type ProviderReading, usableProviders } from './read-providers.js';
import { type SessionPrompts, sessionPrompts } from './session-prompt.js';
import { trustNotice } from './trust/describe-trust.js';
import { keyOrigins } from './trust/key-origins.js';
import { requireTrust } from './workspace-trust.js';

/** The engine of sessions that run here, on a model. */
const IN_PROCESS = 'in_process';

export interface HostOptions {
  /** Run on the provider that needs no model. */
  offline?: boolean;
  /** Where the sessions are; default: the project's own place. */
  place?: Pick<StorePlace, 'sessions' | 'queue'>;
  /** Who runs background children. Without it this process does, and they stop with it. */
  worker?: WorkerCommand;
  onQuestion?: (question: Question) => void;
  display?: DisplaySystem;
  /** The files as the user's editor has them, for a session by the root of its tree; null where it has none. */
  editorFiles?: (root_id: string) => EditorFiles | null;
  /** Modules the door itself brings, such as approvals where a person is present. */
  hooks?: readonly JsonObject[];
}

/** A session to start: what a door asks for, in the words of a person. */
export interface RunRequest extends ModelWish {
  instruction: string;
  /** For a door that must know the id before the session runs. Default: a new one. */
  session_id?: string | undefined;
  agent?: string | undefined;
  safety_mode: SafetyMode;
  /** Has the user said that this folder may be acted on? */
  trusted: boolean;
  /** Did a caller or operator whose word counts say so for this session? Else external agents need the folder to be on the user's list. */
  trust_declared?: boolean | undefined;
  limits?: Partial<Limits> | undefined;
  output_schema?: JsonObject | undefined;
  /** Say in the outcome what the turns changed in the folder. External agents do so in any case. */
  report_changes?: boolean | undefined;
  /** Goes into the record and travels on the session's events. */
  metadata?: JsonObject | undefined;
  /** Servers whose tools the session gets, the way editors name them. */
  mcp_servers?: readonly JsonObject[] | undefined;
  /** May another provider take over when the one that was named fails? Default: where none was named. */
  fallback?: boolean | undefined;
  /** May an external agent without the model go on with its own fallback model? Default: yes. */
  model_fallback?: boolean | undefined;
  cancellation?: CancellationToken | undefined;
  onCreated?: RootRequest['onCreated'] | undefined;
  onEvent?: RootRequest['onEvent'] | undefined;
}

interface Parts {
  project: Project;
  variables: Record<string, string | undefined>;
  plan: MountPlan;
  readings: ProviderReading[];
  store: SqlSessionStore;
  queue: RunQueue;
  delegator: Delegator;
  prompts: SessionPrompts;
  catalog: AgentCatalog;
  external: ExternalAgents;
  starter: WorkerStarter | null;
}

/** A project brought to life: its plan, its providers, its sessions, and the Delegator over all of them. */
export class Host implements AsyncDisposable {
  readonly project: Project;
  readonly plan: MountPlan;
  /** What became of each provider of the plan. */
  readonly readings: readonly ProviderReading[];
  readonly providers: ReadonlyMap<string, Provider>;
  readonly store: SqlSessionStore;
  readonly queue: RunQueue;
  readonly delegator: Delegator;
  readonly #prompts: SessionPrompts;
  /** Every agent that can be delegated to, external ones included. */
  readonly agents: AgentCatalog;
  /** What configs may refer to. */
  readonly #variables: Record<string, string | undefined>;
  readonly #external: ExternalAgents;
  readonly #starter: WorkerStarter | null;
  #bundle: string | undefined;

  private constructor(parts: Parts) {
    this.project = parts.project;
    this.#variables = parts.variables;
    this.plan = parts.plan;
    this.readings = parts.readings;
    this.providers = usableProviders(parts.readings);
    this.store = parts.store;
    this.queue = parts.queue;
    this.delegator = parts.delegator;
    this.#prompts = parts.prompts;
    this.agents = parts.catalog;
    this.#external = parts.external;
    this.#starter = parts.starter;
  }

  static async open(project: Project, options: HostOptions = {}): Promise<Host> {
    const { offline = false, place = project.paths, worker, onQuestion, display, hooks = [] } = options;
    const { environment, report, paths } = project;
    lendKeys(environment);
    const variables = { ...environment };
    const loader = moduleLoader({ environment: variables, report }, keyOrigins(project));
    const sources = moduleSources(project);
    const base = await project.plan();
    const { plan: chosen, readings } = await chooseProviders(
      { ...base, hooks: [...(base.hooks ?? []), ...withoutDoubles(hooks, base)] },
      // Prices decide what a limit on money is worth, so they are the user's alone to set.
      { loader, sources, environment, offline, prices: project.settings.scopes.user?.prices },
    );
    const plan = await leaveOutRouting(chosen, usableProviders(readings));
    const store = await openStore(place.sessions, report);
    await keepOutOfGit(paths.home);
    const queue = await openQueue(place.queue, report).catch(async (error) => {
      await store.close();
      throw error;
    });
    const folder = folderContexts(systemClock, paths.home);
    const prompts = sessionPrompts(project, folder, report);
    const here = await realpath(paths.cwd).catch(() => paths.cwd);
    const notice = trustNotice(project.trust);
    const source = { environment, isolationHome: paths.trees, settled: project };
    const external = new ExternalAgents(source, store, onQuestion);
    const catalog = bothCatalogs(agentCatalog(project), external.catalog);
    const starter = worker ? new WorkerStarter(worker, paths, offline, report) : null;
    const delegator = new Delegator({
      store,
      queue,
      loader,
      report,
      agents: catalog,
      engines: { acp: external.engine },
      livePlan: plan,
      isolationHome: paths.trees,
      systemPrompt: (launch) => prompts.system(launch),
      contextFiles: async (cwd) => (await folder(cwd)).files,
      expandInstruction: (text, reader) => prompts.instruction(text, reader),
      equip: (coordinator, seat) => {
        coordinator.mounts.mount('module-source-resolver', sources);
        coordinator.registerCapability(
          'mention_resolver',
          prompts.mentions({ cwd: seat.workspace.cwd, grant: seat.grant }),
        );
        // What lies in a tree of its own is not what the editor shows.
        const files = seat.workspace.cwd === here ? options.editorFiles?.(seat.root_id) : null;
        if (files) coordinator.registerCapability('session.editor_files', files);
        // Whoever asked for the session is told with its outcome what was left out.
        if (notice && seat.depth === 0) coordinator.report({ ...notice, module_id: 'trust' });
      },
      ...(onQuestion ? { onQuestion } : {}),
      ...(display ? { display } : {}),
      ...(starter ? { runInBackground: () => starter.wake() } : {}),
    });
    return new Host({
      project,
      variables,
      plan,
      readings,
      store,
      queue,
      delegator,
      prompts,
      catalog,
      external,
      starter,
    });
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
   * What a turn of a stored session may do in another safety mode than it was launched in; undefined for its own. One that was
   * imported gets here what it is launched with: the plan of this folder, and `read_only` unless a mode is named.
   */
  async rightsFor(
    session_id: string,
    safety_mode: SafetyMode | undefined,
    trusted: boolean,
    trust_declared = false,
  ): Promise<TurnRights | undefined> {
    const launch = (await this.store.document(session_id, 'launch')) as LaunchRecord | null;
    if (launch === null) {
      const mode = safety_mode ?? 'read_only';
      await this.delegator.adopt(session_id, () =>
        this.#rootRequest({ instruction: '', safety_mode: mode, trusted }),
      );
      return undefined;
    }
    if (safety_mode === undefined || launch.safety_mode === safety_mode) return undefined;
    const { cwd } = launch.workspace;
    const homes = ownHomes(this.project.environment, cwd);
    const grant = grantForSafetyMode(safety_mode, {
      cwd,
      trusted,
      home: homedir(),
      homes,
      locked: this.project.trust.files,
    });
    return { safety_mode, grant, trusted, trust_declared };
  }

  /** What MCP servers that somebody lends need is at hand from now on. Sessions only refer to it: say it again in each process. */
  lend(mcp_servers: readonly JsonObject[]): void {
    Object.assign(this.#variables, serverVariables(mcp_servers));
  }

  /** Starts a session and runs its first turn. */
  async run(request: RunRequest): Promise<{ outcome: Outcome; launch: LaunchRecord }> {
    await this.requireModelFor(request.agent);
    return this.delegator.start(await this.#rootRequest(request));
  }

  /** The launch a request would lead to, and nothing else. */
  async planRun(request: RunRequest): Promise<LaunchRecord> {
    await this.requireModelFor(request.agent);
    const { record } = await this.delegator.planRoot(await this.#rootRequest(request));
    return record;
  }

  /** Makes a session that waits for children or for its first instruction. */
  async create(request: Omit<RunRequest, 'instruction'>): Promise<LaunchRecord> {
    return this.delegator.create(await this.#rootRequest({ ...request, instruction: '' }));
  }

  /** Hands a task to a child of a stored session. That it was handed over and how it ended is in that session's log, too. */
  async delegate(session_id: string, request: unknown, watching: Watching = {}): Promise<Delegation> {
    const log = new BriefLog(this.store, session_id);
    const parent = await this.parent(session_id, { ...watching, log });
    const delegation = await this.delegator.delegate(request, parent, this.delegateConfig);
    await log.settle(delegation, this.delegator);
    return delegation;
  }

  /** A stored session as the parent of delegations from outside. */
  async parent(
    session_id: string,
    watching: Watching & Pick<StoredParentOptions, 'log'> = {},
  ): Promise<Parent> {
    const models = modelCatalog(this.providers);
    return this.delegator.parent(session_id, { ...watching, models, roles: await this.#roles(models) });
  }

  /** The preferences a wish for a provider or model comes to; a role is left to whoever launches. */
  preferences({ provider, model }: ModelWish): Promise<ProviderPreference[]> {
    return chooseRootModel({ provider, model }, this.project, this.plan, this.providers);
  }

  /** The providers a turn of a stored session is to run on, where somebody wishes for others than it has. */
  async providersFor(offline: boolean, wish: ModelWish): Promise<MountPlan['providers'] | null> {
    if (offline) return this.plan.providers ?? [];
    const preferences = await chooseRootModel(wish, this.project, this.plan, this.providers);
    if (preferences.length === 0) return null;
    const { plan } = await applyProviderPreferences(this.plan, preferences, modelCatalog(this.providers));
    return plan.providers ?? [];
  }

  /** How the plan configures delegation, for a door that delegates itself. */
  get delegateConfig(): DelegateConfig {
    return delegateConfigOf(this.plan);
  }

  /** Runs waiting background work until there has been none for a while. */
  serve(signal: AbortSignal, idleMs?: number): Promise<void> {
    return serveBackground(this.delegator, this.queue, this.project.paths, signal, idleMs);
  }

  async close(): Promise<void> {
    await this.delegator.background?.close();
    await this.#starter?.close();
    await this.#external[Symbol.asyncDispose]();
    await this.queue.close();
    await this.store.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** The bundle as it is now: a session says what it was made of however the files change. */
  #snapshot(): string {
    this.#bundle ??= snapshotBundle(this.project.bundle);
    return this.#bundle;
  }

  /** What is wished for; an effort alone leaves the choice of the model to the agent. */
  async #rootPreferences(
    agent: string | undefined,
    wish: ModelWish,
    models: ModelCatalog,
    roles: ModelRoleResolver | null,
  ): Promise<ProviderPreference[]> {
    const { effort, ...model } = wish;
    const isEffortAlone = effort !== undefined && Object.values(model).every((each) => each === undefined);
    const overlay =
      isEffortAlone && agent !== undefined ? (await this.agents.find(agent))?.overlay : undefined;
    const own = overlay ? await agentPreferences(overlay, roles) : [];
    if (own.length > 0)
      return own.map((each) => ({ ...each, config: { ...each.config, reasoning_effort: effort } }));
    return chooseRootModel(wish, this.project, this.plan, this.providers, models);
  }

  /** The roles of the plan. The hook that brings them says in each session what is wrong with its matrix. */
  #roles(models: ModelCatalog): Promise<ModelRoleResolver | null> {
    return planRoles(this.plan, this.providers, models).catch((error) => {
      const { message } = errorInfo(error);
      this.project.report({ level: 'warning', code: 'ROUTING', message, error });
      return null;
    });
  }

  /** A provider or model that somebody named is not replaced by another unless they said so. */
  #planFor(wish: ModelWish & { fallback?: boolean | undefined }): MountPlan {
    const failover = failoverFor(wish);
    return failover === undefined ? this.plan : withFailover(this.plan, failover);
  }

  async #rootRequest(request: RunRequest): Promise<RootRequest> {
    const { agent, session_id, safety_mode, trusted, limits, output_schema, cancellation } = request;
    const { onCreated, onEvent } = request;
    if (agent !== undefined) await mustHaveAgent(agent, this.agents);
    const external = await this.isExternal(agent);
    const cwd = await realpath(this.project.paths.cwd);
    const homes = ownHomes(this.project.environment, cwd);
    const grant = grantForSafetyMode(safety_mode, {
      cwd,
      trusted,
      home: homedir(),
      homes,
      locked: this.project.trust.files,
    });
    const { provider, model, role, effort, mcp_servers = [] } = request;
    if (!external) this.lend(mcp_servers);
    const wish = { provider, model, role, effort };
    const models = modelCatalog(this.providers);
    const roles = external ? null : await this.#roles(models);
    const preferences = external ? [] : await this.#rootPreferences(agent, wish, models, roles);
    return {
      plan: external ? this.plan : lendServers(this.#planFor(request), mcp_servers),
      instruction: await this.#prompts.instruction(request.instruction, { cwd, grant }),
      cwd,
      trusted,
      trust_declared: request.trust_declared === true,
      safety_mode,
      grant,
      ...(agent === undefined ? {} : { agent }),
      ...(session_id === undefined ? {} : { session_id }),
      bundle: this.#snapshot(),
      // An external agent has a mind of its own: what this one is told about itself would only mislead it.
      ...(this.project.bundle.instruction && !external
        ? { system_prompt: this.project.bundle.instruction }
        : {}),
      limits: { ...ROOT_LIMITS, ...limits },
      models,
      roles,
      ...(preferences.length > 0 ? { provider_preferences: preferences } : {}),
      ...(external
        ? { metadata: { ...request.metadata, acp: externalWishes(request) } }
        : request.metadata
          ? { metadata: request.metadata }
          : {}),
      ...(output_schema === undefined ? {} : { output_schema }),
      ...(request.report_changes ? { report_changes: true } : {}),
      ...(cancellation === undefined ? {} : { cancellation }),
      ...(onCreated === undefined ? {} : { onCreated }),
      ...(onEvent === undefined ? {} : { onEvent }),
    };
  }
}

/** Undefined where nothing was said of it: then the plan decides. */
export function failoverFor({
  provider,
  model,
  fallback,
}: ModelWish & { fallback?: boolean | undefined }): boolean | undefined {
  return fallback ?? (provider !== undefined || model !== undefined ? false : undefined);
}

/** An external agent brings its own models: what is wished for is for it to make sense of. */
function externalWishes({ model, effort, mcp_servers, model_fallback }: RunRequest): JsonObject {
  return {
    ...(model === undefined ? {} : { model }),
    ...(effort === undefined ? {} : { effort }),
    ...(mcp_servers === undefined ? {} : { mcp_servers: [...mcp_servers] }),
    ...(model_fallback === undefined ? {} : { allow_model_fallback: model_fallback }),
  };
}

function withoutDoubles(hooks: readonly JsonObject[], plan: MountPlan): MountPlan['hooks'] & object {
  const present = new Set((plan.hooks ?? []).map((entry) => moduleSpec(entry)?.module));
  return hooks.flatMap((hook) => {
    const spec = moduleSpec(hook);
    return spec && !present.has(spec.module) ? [spec] : [];
  });
}

function noModel(readings: readonly ProviderReading[]): HostError {
  const why = readings.flatMap(({ problem }) => problem ?? []).join(' ');
  return new HostError(`No model is configured. ${why}`.trim(), { code: 'NO_MODEL' });
}
