import type { MountPlan } from '@amplifier/core';
import { type LaunchRecord, networkOf } from '@amplifier/delegation';
import type { Host, SessionSetting } from '@amplifier/host';
import type { SessionMetadata, SessionStore } from '@amplifier/sessions';
import { requiresTrust, type SafetyMode, tighterMode, tighterNetwork } from '@amplifier/workspace';
import type { DaemonConfig, DaemonHome } from '../config.js';
import type { MountPlans } from '../plans/mount-plans.js';
import { toCorePlan } from '../plans/to-core-plan.js';
import type { WorkingFolders } from '../sessions/working-folders.js';
import type { SessionHosts } from './session-hosts.js';

export interface SessionRuntimeParts {
  home: DaemonHome;
  config: DaemonConfig;
  folders: WorkingFolders;
  store: SessionStore;
  plans: MountPlans;
  hosts: SessionHosts;
}

/** Gets sessions ready to be run: each has a launch record, and may work where it is to. */
export class SessionRuntime {
  readonly hosts: SessionHosts;
  readonly #parts: SessionRuntimeParts;
  /** When the sessions were created that have a record; an id may be used again. */
  readonly #prepared = new Map<string, string>();
  readonly #adopting = new Map<string, Promise<unknown>>();

  constructor(parts: SessionRuntimeParts) {
    this.#parts = parts;
    this.hosts = parts.hosts;
  }

  /** Sees to it that the session has a record to be run from: made from its mount plan before its first run, those above first. */
  async prepare(session: SessionMetadata): Promise<void> {
    const { store } = this.#parts;
    const { session_id, created, parent_id } = session;
    if (this.#prepared.get(session_id) === created) return;
    if (parent_id !== null && (await store.has(parent_id)))
      await this.prepare(await store.metadata(parent_id));
    await this.#adopt(session);
    this.#prepared.set(session_id, created);
  }

  /**
   * Throws where a turn of the session, or of a child in another mode, would change a folder that is not trusted, or read what
   * its tenant may not. Asked before each turn: trust may have been withdrawn since the session was launched.
   */
  async requireTrust(session: SessionMetadata, wanted?: SafetyMode): Promise<void> {
    const { store, config, home } = this.#parts;
    if (await this.isElsewhere(session)) return;
    const { session_id, working_dir, tenant } = session;
    const launch = (await store.document(session_id, 'launch')) as LaunchRecord | null;
    const folders = this.#parts.folders.of(tenant);
    if (launch) await folders.requireReach(launch, home.trees);
    const mode = tighterMode(launch?.safety_mode ?? config.runs.safety_mode, wanted);
    if (!requiresTrust(mode)) return;
    // A person started it in this folder, at a terminal or in an editor, and continues with it here.
    if (home.isUsers && launch?.workspace.trusted && launch.engine === 'in_process') return;
    await folders.requireTrust(launch ? launch.workspace.cwd : working_dir, mode);
  }

  /** Is its folder where another daemon is? Then that one looks at it before each turn. */
  async isElsewhere({ session_id, root_id, place }: SessionMetadata): Promise<boolean> {
    const { store, home } = this.#parts;
    if (home.places === null) return false;
    const isRoot = root_id === session_id || !(await store.has(root_id));
    const found = isRoot ? place : (await store.metadata(root_id)).place;
    return found != null && !home.places.includes(found);
  }

  /** Many may want it at once, and only one can write it. */
  async #adopt(metadata: SessionMetadata): Promise<void> {
    const { session_id } = metadata;
    const host = await this.hosts.of(session_id, metadata);
    const adopting = this.#adopting.get(session_id) ?? this.#recordOf(metadata, host);
    this.#adopting.set(session_id, adopting);
    try {
      await adopting;
    } finally {
      this.#adopting.delete(session_id);
    }
  }

  async #recordOf(metadata: SessionMetadata, host: Host): Promise<unknown> {
    const { store, home, folders } = this.#parts;
    const { session_id, working_dir } = metadata;
    if (home.isUsers && (await store.document(session_id, 'mount_plan')) === null) {
      // Taken over from other programs: it gets the plan of its folder, and may only read.
      const cwd = await folders.known(working_dir);
      return host.rightsFor(session_id, undefined, await folders.trusts(cwd));
    }
    return host.adopt(session_id, () => this.#settle(metadata));
  }

  async #settle(metadata: SessionMetadata): Promise<{ plan: MountPlan; setting: SessionSetting }> {
    const { plans, config } = this.#parts;
    const { limits, safety_mode } = config.runs;
    const folders = this.#parts.folders.of(metadata.tenant);
    const cwd = await folders.ready(metadata.session_id, metadata.working_dir);
    const trusted = await folders.trusts(cwd);
    const plan = await plans.get(metadata.session_id);
    const { max_recursion_depth } = plan.session.task;
    const max_depth = typeof max_recursion_depth === 'number' ? max_recursion_depth : config.max_depth;
    return {
      plan: toCorePlan(plan) as unknown as MountPlan,
      setting: {
        cwd,
        homes: folders.homes,
        readable: folders.readable ?? undefined,
        trusted,
        safety_mode,
        network: tighterNetwork(config.runs.network, networkOf(plan.session.session)),
        limits: {
          max_children: config.max_children,
          ...limits,
          max_depth: Math.min(max_depth, limits.max_depth ?? max_depth),
        },
      },
    };
  }
}
