import { realpath } from 'node:fs/promises';
import type { CircuitBreaker } from '@amplifier/acp';
import {
  type Coordinator,
  type Diagnostic,
  errorInfo,
  type JsonObject,
  keepSecrets,
  type ModuleLoader,
  type ModuleSourceResolver,
  type MountPlan,
  moduleSpec,
  Plan,
  systemClock,
} from '@amplifier/core';
import {
  type AgentCatalog,
  Delegator,
  type DelegatorOptions,
  NO_NEEDS,
  type Parent,
} from '@amplifier/delegation';
import type { EditorFiles, EditorTerminal } from '@amplifier/modules';
import type { RunQueue, SessionLogs, SessionStore } from '@amplifier/sessions';
import { keepOutOfGit } from '@amplifier/workspace';
import { bothCatalogs, ExternalAgents } from '../external-agents/external-agents.js';
import { type ChosenProviders, chooseProviders } from '../models/choose-providers.js';
import { usableProviders } from '../models/read-providers.js';
import { LivePermissions, mountRules } from '../permissions/live-permissions.js';
import { reviewModules } from '../pinned/review-modules.js';
import { agentCatalog } from '../project/agent-catalog.js';
import { folderContexts } from '../project/folder-context.js';
import type { Project } from '../project/project.js';
import { unreadableIn } from '../project/project-grant.js';
import { type SessionPrompts, sessionPrompts } from '../project/session-prompt.js';
import { skillPlaces } from '../project/skills.js';
import { BackgroundWork } from '../runs/background-work.js';
import { type WorkerCommand, WorkerStarter } from '../runs/background-worker.js';
import type { RunService } from '../runs/run-service.js';
import type { StorePlace } from '../store/find-session.js';
import { openQueue, openStore } from '../store/open-store.js';
import { trustNotice } from '../trust/describe-trust.js';
import { keyOrigins } from '../trust/key-origins.js';
import { isProjectsGuard } from '../trust/only-tighter.js';
import { requireActingTrust } from '../trust/workspace-trust.js';
import { changeLog, changesFolder } from '../undo/change-log.js';
import { checkLaunch } from './check-launch.js';
import { leaveOutRouting } from './leave-out-routing.js';
import { moduleLoader, moduleSources } from './module-loader.js';
import { treeNeeds } from './tree-needs.js';

/** A record that is open already. Its opener executes its runs, and closes it after the host. */
interface OpenRecord {
  store: SessionStore;
  /** Gives out the right to write sessions, where that is not the store itself. */
  logs?: SessionLogs;
  queue: RunQueue;
}

export interface HostOptions
  extends Partial<Pick<DelegatorOptions, 'clock' | 'display' | 'onQuestion' | 'withoutTimeout'>> {
  /** Run on the provider that needs no model. */
  offline?: boolean;
  /** Where the sessions are; default: the project's own place. */
  place?: Pick<StorePlace, 'sessions' | 'queue'> | undefined;
  /** The sessions themselves, where somebody has them open already. */
  record?: OpenRecord;
  /** Starts a process that runs background children. Without it this process does, and they stop with it. */
  worker?: WorkerCommand;
  /** The runs of this process, which execute background children. Default: the host has its own. */
  runs?: () => Promise<RunService>;
  /** Of the process: which external agents fail. Default: the host has its own. */
  breaker?: CircuitBreaker | undefined;
  /** The files as the user's editor has them, for a session by the root of its tree; null where it has none. */
  editorFiles?: (root_id: string) => EditorFiles | null;
  /** The same for where it shows commands. */
  editorTerminal?: (root_id: string) => EditorTerminal | null;
  /** Modules the entry point itself brings, such as approvals where a person is present. */
  hooks?: readonly JsonObject[];
}

/** Everything a host is made of. */
export interface HostParts extends ChosenProviders, Required<OpenRecord> {
  project: Project;
  /** What configs may refer to. */
  variables: Record<string, string | undefined>;
  loader: ModuleLoader;
  sources: ModuleSourceResolver;
  delegator: Delegator;
  background: BackgroundWork;
  /** The rules of the folder; null in a deployment. */
  permissions: LivePermissions | null;
  prompts: SessionPrompts;
  catalog: AgentCatalog;
  close(): Promise<void>;
}

/** The one way from files to a runtime: plan, providers, record, prompts, engines, Delegator. Every entry point takes it. */
export async function assembleHost(project: Project, options: HostOptions): Promise<HostParts> {
  const { offline = false, worker, onQuestion, display, clock = systemClock } = options;
  const { environment, report, paths, isDeployment } = project;
  for (const known of [process.env, environment]) keepSecrets(known);
  const variables = { ...environment };
  const loader = moduleLoader(
    { environment: variables, report },
    isDeployment ? undefined : keyOrigins(project),
  );
  const sources = moduleSources(project);
  const { plan: chosen, readings } = await choosePlan(project, options, loader, sources);
  const plan = Plan.of(chosen).withMetadata(chosen.session.metadata);
  // Rules that cannot be read are said before anything begins.
  const permissions = isDeployment ? null : await LivePermissions.open(paths, environment);
  const { store, logs, queue, close: closeRecord } = await openRecord(project, options);
  const contexts = folderContexts(clock, isDeployment ? null : paths.home);
  const prompts = sessionPrompts(project, contexts, usableProviders(readings), report);
  const isolation = isDeployment ? NO_NEEDS : treeNeeds(project.settings.settings);
  const external = new ExternalAgents(
    {
      environment,
      isolationHome: paths.trees,
      isolation,
      settled: isDeployment ? null : project,
      breaker: options.breaker,
    },
    store,
    onQuestion,
    permissions ? (call) => permissions.decide(call) : undefined,
  );
  const catalog = bothCatalogs(agentCatalog(project), external.catalog);
  const starter = worker ? new WorkerStarter(worker, paths, offline, report) : null;
  const equip = await equipper(project, options, permissions, prompts, sources);
  const delegator = new Delegator({
    store,
    logs,
    queue,
    loader,
    report,
    clock,
    agents: catalog,
    engines: { acp: external.engine },
    livePlan: plan,
    isolationHome: paths.trees,
    isolation,
    systemPrompt: (launch) => prompts.system(launch),
    contextFiles: prompts.files,
    unreadable: ({ workspace, plan }) => unreadableIn(project, workspace.cwd, plan, permissions),
    checkLaunch: (launch) => checkLaunch(launch, skillPlaces(project, launch)),
    expandInstruction: (text, reader) => prompts.instruction(text, reader),
    equip,
    withoutTimeout: options.withoutTimeout ?? false,
    onQuestion,
    display,
    runInBackground: () => wake(),
  });
  const background = new BackgroundWork(delegator, { store, queue, clock, report }, options.runs);
  const wake = options.record ? () => {} : starter ? () => starter.wake() : () => background.wake();
  const close = async () => {
    await background.close();
    await starter?.close();
    await external[Symbol.asyncDispose]();
    await closeRecord();
  };
  const parts = { project, variables, plan, readings, store, logs, queue, loader, sources };
  return { ...parts, delegator, background, permissions, prompts, catalog, close };
}

/** What sessions here are made of when nobody brings another plan. A deployment's sessions always do. */
async function choosePlan(
  project: Project,
  { offline = false, hooks = [] }: HostOptions,
  loader: ModuleLoader,
  sources: ModuleSourceResolver,
): Promise<ChosenProviders> {
  const base = await project.plan();
  await reviewModules(project, base);
  if (project.isDeployment && !offline) return { plan: base, readings: [] };
  const { plan, readings } = await chooseProviders(
    { ...base, hooks: [...(base.hooks ?? []), ...withoutDoubles(hooks, base)] },
    // Prices decide what a limit on money is worth, so they are the user's alone to set.
    {
      loader,
      sources,
      environment: project.environment,
      offline,
      prices: project.settings.scopes.user?.prices,
    },
  );
  return { plan: await leaveOutRouting(plan, usableProviders(readings)), readings };
}

async function openRecord(
  { paths, report }: Project,
  { place = paths, record }: HostOptions,
): Promise<Required<OpenRecord> & { close(): Promise<void> }> {
  if (record) return { logs: record.store, ...record, close: async () => {} };
  const store = await openStore(place.sessions, report);
  await keepOutOfGit(paths.home);
  const queue = await openQueue(place.queue, report).catch(async (error) => {
    await store.close();
    throw error;
  });
  const close = async () => {
    await queue.close();
    await store.close();
  };
  return { store, logs: store, queue, close };
}

/** Puts on each session what it has of its folder, its user and the entry point, before its modules mount. */
async function equipper(
  { paths, trust, report, isDeployment }: Project,
  { editorFiles, editorTerminal }: HostOptions,
  permissions: LivePermissions | null,
  prompts: SessionPrompts,
  sources: ModuleSourceResolver,
) {
  const here = await realpath(paths.cwd).catch(() => paths.cwd);
  const notice = trustNotice(trust);
  return (coordinator: Coordinator, { workspace, root_id, depth, grant }: Parent) => {
    requireActingTrust(workspace, trust);
    coordinator.mounts.mount('module-source-resolver', sources);
    // A deployment has no list of trusted folders; `runs.trust_working_dir` decides.
    const isTrusted = isDeployment ? workspace.trusted : trust.state === 'trusted';
    coordinator.registerCapability('session.folder_trusted', isTrusted);
    coordinator.registerCapability('mention_resolver', prompts.mentions({ cwd: workspace.cwd, grant }));
    if (!permissions) return;
    coordinator.registerCapability('session.mcp_logins', paths.logins);
    coordinator.registerCapability('session.permissions', permissions.of(root_id));
    if (permissions.hasRules) mountRules(coordinator.plan);
    // What is changed in a tree apart reaches the folder as a patch.
    if (!workspace.cwd.startsWith(paths.trees)) {
      const changes = changeLog(changesFolder(paths, root_id), workspace.cwd);
      coordinator.registerCapability('session.changes', changes);
      if (depth === 0) void changes.begin().catch((error) => report(undoUnavailable(error)));
    }
    // What lies in a tree of its own is not what the editor shows.
    const files = workspace.cwd === here ? editorFiles?.(root_id) : null;
    if (files) coordinator.registerCapability('session.editor_files', files);
    const terminal = editorTerminal?.(root_id);
    if (terminal) coordinator.registerCapability('session.editor_terminal', terminal);
    // Whoever asked for the session is told with its outcome what was left out.
    if (notice && depth === 0) coordinator.report({ ...notice, module_id: 'trust' });
  };
}

function withoutDoubles(hooks: readonly JsonObject[], plan: MountPlan): MountPlan['hooks'] & object {
  // What a project brought stands beside what the entry point brings, not in its place.
  const own = (plan.hooks ?? []).filter((entry) => !isProjectsGuard(entry));
  const present = new Set(own.map((entry) => moduleSpec(entry)?.module));
  return hooks.flatMap((hook) => {
    const spec = moduleSpec(hook);
    return spec && !present.has(spec.module) ? [spec] : [];
  });
}

function undoUnavailable(error: unknown): Diagnostic {
  const message = `The changes of this turn cannot be undone later: ${errorInfo(error).message}`;
  return { level: 'warning', code: 'UNDO_UNAVAILABLE', message };
}
