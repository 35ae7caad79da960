import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import type { Clock, ModuleLoader, ModuleSourceResolver, MountPlan, Report } from '@amplifier/core';
import { systemClock } from '@amplifier/core';
import {
  type Delegation,
  Delegator,
  type DelegatorOptions,
  type LaunchRecord,
  type LimitWishes,
  type Parent,
  type StoredParentOptions,
} from '@amplifier/delegation';
import { modelCatalog, moduleSourceResolver, planRoles, SourceResolver } from '@amplifier/foundation';
import type { RunQueue, SessionStore } from '@amplifier/sessions';
import { grantForSafetyMode, type SafetyMode } from '@amplifier/workspace';
import type { Environment } from './amplifier-home.js';
import { ROOT_LIMITS } from './defaults.js';
import { delegateConfigOf } from './delegate-config-of.js';
import { ExternalAgents } from './external-agents.js';
import { folderContexts } from './folder-context.js';
import { moduleLoader } from './module-loader.js';
import { planPrompt } from './plan-prompt.js';
import { readProviders, usableProviders } from './read-providers.js';

export interface PlanHostOptions {
  /** Whoever opened these closes them, after the host. */
  store: SessionStore;
  queue: RunQueue;
  /** What `${NAME}` in a plan is read from. */
  environment: Environment;
  /** Holds what modules are fetched from. */
  cacheDir: string;
  /** Holds the trees of sessions that work apart. */
  isolationHome: string;
  report: Report;
  clock?: Clock;
  /** Told of every question. Approvals wait until they are answered; the door sees to their time. */
  onQuestion: NonNullable<DelegatorOptions['onQuestion']>;
}

/** What a session is run with that its plan does not say. */
export interface SessionSetting {
  cwd: string;
  trusted: boolean;
  safety_mode: SafetyMode;
  /** Folders of our own state that no session may touch. */
  homes: readonly string[];
  limits?: LimitWishes;
}

/** The runtime of a door whose sessions bring complete plans: no bundle, no settings, no agent files. */
export class PlanHost implements AsyncDisposable {
  readonly delegator: Delegator;
  readonly #loader: ModuleLoader;
  readonly #sources: ModuleSourceResolver;
  readonly #external: ExternalAgents;

  constructor(options: PlanHostOptions) {
    const {
      store,
      queue,
      environment,
      cacheDir,
      isolationHome,
      report,
      clock = systemClock,
      onQuestion,
    } = options;
    this.#loader = moduleLoader({ environment, report });
    this.#sources = moduleSourceResolver({
      sources: new SourceResolver({ cacheDir, environment, clock, report }),
      baseDir: cacheDir,
      environment,
    });
    this.#external = new ExternalAgents({ environment, isolationHome, settled: null }, store, onQuestion);
    const folder = folderContexts(clock, null);
    this.delegator = new Delegator({
      store,
      queue,
      loader: this.#loader,
      report,
      clock,
      agents: this.#external.catalog,
      engines: { acp: this.#external.engine },
      isolationHome,
      systemPrompt: async (launch) =>
        [planPrompt(launch), (await folder(launch.workspace.cwd)).text].filter(Boolean).join('\n\n---\n\n'),
      contextFiles: async (cwd) => (await folder(cwd)).files,
      equip: (coordinator) => {
        coordinator.mounts.mount('module-source-resolver', this.#sources);
      },
      onQuestion,
      withoutTimeout: true,
    });
  }

  /** Makes a session that the door brought into being one that can be run. What it is run with is settled here, once. */
  adopt(
    session_id: string,
    settle: () => Promise<{ plan: MountPlan; setting: SessionSetting }>,
  ): Promise<LaunchRecord> {
    return this.delegator.adopt(session_id, async () => {
      const { plan, setting } = await settle();
      const { trusted, safety_mode, limits, homes } = setting;
      const cwd = await realpath(setting.cwd);
      return {
        plan,
        cwd,
        trusted,
        // The operator named the folders that sessions may work in.
        trust_declared: trusted,
        safety_mode,
        grant: grantForSafetyMode(safety_mode, { cwd, trusted, home: homedir(), homes }),
        limits: { ...ROOT_LIMITS, ...limits },
      };
    });
  }

  /** Hands a task to a child of a session that need not run, or, after a crash, brings the child of the same call to its end. */
  async delegate(
    launch: LaunchRecord,
    request: { tool_call_id: string; session_id?: string | undefined },
    watching: Pick<StoredParentOptions, 'cancellation' | 'onEvent' | 'log'>,
  ): Promise<Delegation> {
    const parent = await this.#parent(launch, watching);
    const call = { id: request.tool_call_id, session_id: request.session_id ?? null };
    const finished = await this.delegator.finishCall(parent, call);
    return finished ?? this.delegator.delegate(request, parent, delegateConfigOf(launch.plan));
  }

  /** Throws what `delegate` would be refused with for who is asked and how. Changes nothing. */
  async checkDelegation(launch: LaunchRecord, request: { session_id?: string | undefined }): Promise<void> {
    const { control } = this.delegator;
    if (request.session_id !== undefined) await control.descendant(request.session_id, launch.session_id);
    else await this.delegator.plan(request, await this.#parent(launch, {}), delegateConfigOf(launch.plan));
  }

  async close(): Promise<void> {
    await this.delegator.background?.close();
    await this.#external[Symbol.asyncDispose]();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #parent({ session_id, plan }: LaunchRecord, watching: StoredParentOptions): Promise<Parent> {
    const providers = usableProviders(await readProviders(plan, this.#loader, this.#sources));
    const catalog = modelCatalog(providers);
    return this.delegator.parent(session_id, {
      ...watching,
      models: catalog,
      roles: await planRoles(plan, providers, catalog),
    });
  }
}
