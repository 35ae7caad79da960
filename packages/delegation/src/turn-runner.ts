import { AmplifierError, type Clock, type MountPlan, systemClock } from '@amplifier/core';
import { hasCode, type SessionLog, type SessionStore } from '@amplifier/sessions';
import { FULL_GRANT, type Grant, intersectGrants, pathScope, realGrant } from '@amplifier/workspace';
import { type AgentCatalog, NO_AGENTS, rosterOf } from './agents.js';
import { ClaimedLogs } from './claimed-logs.js';
import type { ContextFiles } from './context/inherit-context.js';
import { CREATED_AT_ONCE } from './defaults.js';
import { DelegationError } from './delegation-error.js';
import type { DelegatorOptions } from './delegator-options.js';
import type { Equipment } from './engine/attempt-options.js';
import { ComparingEngine } from './engine/comparing-engine.js';
import type { Engine } from './engine/engine.js';
import { InProcessEngine } from './engine/in-process-engine.js';
import { IsolatedEngine, NO_NEEDS } from './engine/isolated-engine.js';
import type { ExpandedInstruction, InstructionReader } from './instruction-of.js';
import type { Planning } from './launch/plan-child.js';
import { restoreSecrets } from './launch/restore-secrets.js';
import { isolationIn } from './launch/with-rights.js';
import type { LaunchRecord } from './launch-record.js';
import { capsOf } from './limits/limits.js';
import { type RunSlot, RunSlots } from './limits/run-slots.js';
import { loadTree, Tree } from './limits/tree.js';
import { LiveSessions } from './live-sessions.js';
import type { Outcome } from './outcome.js';
import type { Parent } from './parent.js';
import { runTurn } from './run-turn.js';
import { loadLaunch } from './stored-outcome.js';
import type { Observe, Turn } from './turn.js';

/** A run slot in a tree that is kept for it. Whoever got it gives it back in the end. */
export interface HeldSlot {
  slot: RunSlot;
  release(): void;
}

/** Opens sessions and runs their turns: the engines, the trees and the live sessions of this process. */
export class TurnRunner implements Planning {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly agents: AgentCatalog;
  readonly live = new LiveSessions();
  readonly claimed = new ClaimedLogs();
  /** See `CREATED_AT_ONCE`. */
  readonly creating = new RunSlots(CREATED_AT_ONCE);
  readonly #options: DelegatorOptions;
  readonly #inProcess: Engine;
  readonly #trees = new Map<string, Tree>();
  readonly #loading = new Map<string, Promise<Tree>>();

  constructor(options: DelegatorOptions, equipment: Equipment) {
    const { store, clock = systemClock } = options;
    this.store = store;
    this.clock = clock;
    this.agents = options.agents ?? NO_AGENTS;
    this.#options = options;
    this.#inProcess = new InProcessEngine({ ...options, clock }, equipment);
  }

  /** What the folder adds to the prompts of sessions that work there. */
  async contextFiles(cwd: string): Promise<ContextFiles | undefined> {
    return this.#options.contextFiles?.(cwd);
  }

  /** Rejects for a launch that lacks something it declares. */
  async check(launch: LaunchRecord): Promise<void> {
    try {
      await this.#options.checkLaunch?.(launch);
    } catch (cause) {
      if (!AmplifierError.is(cause)) throw cause;
      throw new DelegationError(cause.message, { code: 'INVALID_REQUEST', cause });
    }
  }

  /** The grant without what rules deny to read now: they may be newer than the launch. */
  async narrowed(grant: Grant, launch: Pick<LaunchRecord, 'workspace' | 'plan'>): Promise<Grant> {
    const { paths = [], globs = [] } = (await this.#options.unreadable?.(launch)) ?? {};
    if (paths.length + globs.length === 0) return grant;
    const others = await realGrant({
      ...FULL_GRANT,
      read: pathScope(['/'], paths, { deny_globs: [...globs] }),
    });
    return intersectGrants(grant, others);
  }

  async run(turn: Turn): Promise<Outcome> {
    const leave = this.live.enter(turn.launch, turn.cancellation);
    try {
      return await runTurn(this.engineOf(turn.launch), turn, this.store);
    } finally {
      leave();
      turn.cancellation.release();
      const closed = turn.log.close();
      await (turn.guarantor?.guarantee(closed) ?? closed);
      this.forgetTree(turn.tree);
    }
  }

  /** The same for a parent that waits: it does not keep its run slot from others meanwhile. */
  runFor({ slot }: Parent, turn: Turn): Promise<Outcome> {
    return slot ? slot.whileWaiting(() => this.run(turn)) : this.run(turn);
  }

  /** The right to write a session. Whoever gets it closes it, also when what follows fails (`closingOnError`). */
  async open(session_id: string, lease?: number): Promise<SessionLog> {
    try {
      return this.claimed.hold(
        await this.store.open(session_id, lease === undefined ? {} : { lease }),
        lease,
      );
    } catch (cause) {
      if (!hasCode(cause, 'SESSION_LOCKED')) throw cause;
      const message = `Session '${session_id}' is running. Wait for it, message it, or cancel it first.`;
      throw new DelegationError(message, { code: 'SESSION_BUSY', origin: session_id, cause });
    }
  }

  engineOf({ engine: id, workspace, safety_mode }: LaunchRecord): Engine {
    const engine = id === 'in_process' ? this.#inProcess : this.#options.engines?.[id.split(':')[0] ?? ''];
    if (!engine) {
      throw new DelegationError(`Nothing here can run '${id}'.`, { code: 'ENGINE_UNKNOWN', origin: id });
    }
    const { isolationHome, isolation = NO_NEEDS } = this.#options;
    // Decided here, too: a launch record of an earlier version may say `none` for `propose`.
    if (isolationIn(safety_mode, workspace.isolation) === 'none')
      return workspace.report_changes &&
        isolationHome !== undefined &&
        (id === 'in_process' || workspace.direct)
        ? new ComparingEngine(engine, isolationHome)
        : engine;
    if (isolationHome !== undefined) return new IsolatedEngine(engine, isolationHome, isolation);
    const message =
      safety_mode === 'propose'
        ? 'The mode propose works in an isolated tree, and this host has no folder for such trees. Use read_only or write.'
        : 'This host has no folder for isolated trees. Delegate without isolation.';
    throw new DelegationError(message, { code: 'CAPABILITY_MISSING' });
  }

  /** The tree of a root that begins. */
  newTree(root: LaunchRecord): Tree {
    const tree = new Tree(root.root_id, capsOf(root));
    this.#trees.set(root.root_id, tree);
    return tree;
  }

  /** The tree a session belongs to: the one at work here, or what its logs tell. */
  async treeOf({ root_id }: Pick<LaunchRecord, 'root_id'>): Promise<Tree> {
    const known = this.#trees.get(root_id);
    if (known) return known;
    // Many children of a dead process come back at the same time; the logs are read for all of them once.
    const loading = this.#loading.get(root_id) ?? this.#loadTree(root_id);
    this.#loading.set(root_id, loading);
    try {
      const tree = await loading;
      const current = this.#trees.get(root_id) ?? tree;
      this.#trees.set(root_id, current);
      return current;
    } finally {
      this.#loading.delete(root_id);
    }
  }

  /** A run slot for a session that a dead process left, before anything of the session is opened. */
  async holdSlot(session: Pick<LaunchRecord, 'root_id'>): Promise<HeldSlot> {
    const leave = this.live.hold(session.root_id);
    try {
      const { slots } = await this.treeOf(session);
      const slot = slots.tryAcquire() ?? (await slots.acquire());
      return {
        slot,
        release: () => {
          slot.release();
          leave();
        },
      };
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Work on a tree before anything of it runs. It is forgotten afterwards unless something does. */
  async inTree<T>(session: Pick<LaunchRecord, 'root_id'>, work: (tree: Tree) => Promise<T>): Promise<T> {
    const leave = this.live.hold(session.root_id);
    try {
      return await work(await this.treeOf(session));
    } finally {
      leave();
      this.forgetTree(session);
    }
  }

  async #loadTree(root_id: string): Promise<Tree> {
    const root = await loadLaunch(this.store, root_id);
    return loadTree(this.store, root_id, capsOf(root));
  }

  /** The stored plan with its secrets: those of the agent's own modules, then those it inherited. */
  planOf({ plan, agent }: LaunchRecord, parent: Parent | null): MountPlan {
    const source = parent?.plan ?? this.#options.livePlan;
    if (!source) return plan;
    const own = rosterOf(source.agents).get(agent.name ?? '');
    const restored = own ? restoreSecrets(plan, { ...own, session: source.session } as MountPlan) : plan;
    return restoreSecrets(restored, source);
  }

  /** The instruction as it is stored, such as with the files it mentions. */
  async expand(instruction: string, reader: InstructionReader): Promise<ExpandedInstruction> {
    return (
      (await this.#options.expandInstruction?.(instruction, reader)) ?? { text: instruction, attachments: [] }
    );
  }

  /** Whoever returns to a tree of which nothing runs finds all of it in the logs. */
  forgetTree({ root_id }: Pick<LaunchRecord, 'root_id'>): void {
    if (!this.live.hasTree(root_id)) this.#trees.delete(root_id);
  }
}

export async function closingOnError<T>(log: SessionLog, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await log.close();
    throw error;
  }
}

/** Events of a child reach the observers of its parent, and theirs in turn. */
export function relayTo(parent: Parent | null): Observe | null {
  const hooks = parent?.hooks;
  return hooks ? (name, data) => hooks.relay(name, data) : null;
}
