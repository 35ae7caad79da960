import { join } from 'node:path';
import type { MountPlan, Report } from '@amplifier/core';
import type { LaunchRecord, Question } from '@amplifier/delegation';
import type { PlanHost } from '@amplifier/host';
import type { RunQueue, SessionMetadata, SessionStore } from '@amplifier/sessions';
import { type DaemonConfig, type DaemonHome, type Environment, treesFolder } from '../config.js';
import type { MountPlans } from '../plans/mount-plans.js';
import { toCorePlan } from '../plans/to-core-plan.js';
import type { WorkingFolders } from '../sessions/working-folders.js';

export interface SessionRuntimeParts {
  home: DaemonHome;
  config: DaemonConfig;
  environment: Environment;
  folders: WorkingFolders;
  /** The one whose logs come from the pool. */
  store: SessionStore;
  queue: RunQueue;
  plans: MountPlans;
  report: Report;
  onQuestion: (question: Question) => void;
}

/** What runs the daemon's sessions. Nothing of it is loaded before the first run. */
export class SessionRuntime {
  readonly #parts: SessionRuntimeParts;
  #host: Promise<PlanHost> | undefined;
  /** When the sessions were created that have a record; an id may be used again. */
  readonly #prepared = new Map<string, string>();
  readonly #adopting = new Map<string, Promise<unknown>>();

  constructor(parts: SessionRuntimeParts) {
    this.#parts = parts;
  }

  /** Null when nothing has run yet. */
  get loaded(): Promise<PlanHost> | undefined {
    return this.#host;
  }

  host(): Promise<PlanHost> {
    this.#host ??= this.#open();
    return this.#host;
  }

  /** Sees to it that the session has a record to be run from: made from its mount plan before its first run, those above first. */
  async prepare(session_id: string): Promise<void> {
    const { store } = this.#parts;
    const metadata = await store.metadata(session_id);
    const { created, parent_id } = metadata;
    if (this.#prepared.get(session_id) === created) return;
    if (parent_id !== null && (await store.has(parent_id))) await this.prepare(parent_id);
    await this.#adopt(metadata);
    this.#prepared.set(session_id, created);
  }

  async launchOf(session_id: string): Promise<LaunchRecord> {
    await this.prepare(session_id);
    return (await this.#parts.store.document(session_id, 'launch')) as unknown as LaunchRecord;
  }

  async close(): Promise<void> {
    await (await this.#host)?.close();
  }

  async #open(): Promise<PlanHost> {
    const { PlanHost } = await import('@amplifier/host');
    const { store, queue, environment, home, report, onQuestion } = this.#parts;
    return new PlanHost({
      store,
      queue,
      environment,
      report,
      onQuestion,
      cacheDir: join(home.cache, 'modules'),
      isolationHome: treesFolder(environment, home),
    });
  }

  /** Many may want it at once, and only one can write it. */
  async #adopt(metadata: SessionMetadata): Promise<void> {
    const { session_id } = metadata;
    const host = await this.host();
    const adopting = this.#adopting.get(session_id) ?? host.adopt(session_id, () => this.#settle(metadata));
    this.#adopting.set(session_id, adopting);
    try {
      await adopting;
    } finally {
      this.#adopting.delete(session_id);
    }
  }

  async #settle(metadata: SessionMetadata) {
    const { plans, config, folders } = this.#parts;
    const { limits, safety_mode, trust_working_dir: trusted } = config.runs;
    const cwd = await folders.ready(metadata.session_id, metadata.working_dir);
    const plan = await plans.get(metadata.session_id);
    const { max_recursion_depth } = plan.session.task;
    const max_depth = typeof max_recursion_depth === 'number' ? max_recursion_depth : config.max_depth;
    return {
      plan: toCorePlan(plan) as unknown as MountPlan,
      setting: {
        cwd,
        homes: folders.homes,
        trusted,
        safety_mode,
        limits: {
          max_children: config.max_children,
          ...limits,
          max_depth: Math.min(max_depth, limits.max_depth ?? max_depth),
        },
      },
    };
  }
}
