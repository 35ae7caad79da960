import { type Clock, type Coordinator, type MountPlan, systemClock } from '@amplifier/core';
import { hasCode, type SessionLog, type SessionStore } from '@amplifier/sessions';
import type { Grant } from '@amplifier/workspace';
import { type AgentCatalog, NO_AGENTS, rosterOf } from './agents.js';
import type { ContextFiles } from './context/inherit-context.js';
import { BIRTHS_AT_ONCE } from './defaults.js';
import { DelegationError } from './delegation-error.js';
import type { DelegatorOptions } from './delegator-options.js';
import { ComparingEngine } from './engine/comparing-engine.js';
import type { Engine } from './engine/engine.js';
import { InProcessEngine } from './engine/in-process-engine.js';
import { IsolatedEngine } from './engine/isolated-engine.js';
import type { Questions } from './engine/questions.js';
import { restoreSecrets } from './launch/restore-secrets.js';
import type { LaunchRecord } from './launch-record.js';
import { capsOf } from './limits/limits.js';
import { type Slot, Slots } from './limits/slots.js';
import { loadTree, Tree } from './limits/tree.js';
import { LiveSessions } from './live-sessions.js';
import type { Outcome } from './outcome.js';
import type { Parent } from './parent.js';
import { runTurn, type TurnToRun } from './run-turn.js';
import { loadLaunch } from './stored-outcome.js';

type Equip = (coordinator: Coordinator, seat: Parent, questions: Questions) => void;

/** A place in a tree. Whoever got it leaves it in the end. */
export interface Place {
  slot: Slot;
  leave(): void;
}

/** Opens sessions and runs their turns: the engines, the trees and the live sessions of this process. */
export class TurnRunner {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly agents: AgentCatalog;
  readonly live = new LiveSessions();
  /** Places to be born at: see `BIRTHS_AT_ONCE`. */
  readonly births = new Slots(BIRTHS_AT_ONCE);
  readonly #options: DelegatorOptions;
  readonly #inProcess: Engine;
  readonly #trees = new Map<string, Tree>();
  readonly #loading = new Map<string, Promise<Tree>>();

  constructor(options: DelegatorOptions, equip: Equip) {
    const { store, loader, clock = systemClock, display, report, systemPrompt, onQuestion } = options;
    this.store = store;
    this.clock = clock;
    this.agents = options.agents ?? NO_AGENTS;
    this.#options = options;
    this.#inProcess = new InProcessEngine({
      store,
      loader,
      clock,
      onQuestion: onQuestion ?? null,
      withoutTimeout: options.withoutTimeout ?? false,
      equip: (coordinator, seat, questions) => {
        this.live.sit(seat);
        coordinator.registerCleanup(() => this.live.rise(seat));
        equip(coordinator, seat, questions);
        options.equip?.(coordinator, seat);
      },
      ...(display ? { display } : {}),
      ...(report ? { report } : {}),
      ...(systemPrompt ? { systemPrompt } : {}),
    });
  }

  /** What the folder adds to the prompts of sessions that work there. */
  async contextFiles(cwd: string): Promise<ContextFiles | undefined> {
    return this.#options.contextFiles?.(cwd);
  }

  async run(engine: Engine, turn: TurnToRun): Promise<Outcome> {
    const leave = this.live.enter(turn.launch, turn.stop);
    try {
      return await runTurn(engine, turn);
    } finally {
      leave();
      turn.stop.release();
      const closed = turn.log.close();
      await (turn.reliesOn?.rely(closed) ?? closed);
      this.forgetTree(turn.tree);
    }
  }

  /** The right to write a session. Whoever gets it closes it, also when what follows fails (`closingOnError`). */
  async open(session_id: string, lease?: number): Promise<SessionLog> {
    try {
      return await this.store.open(session_id, lease === undefined ? {} : { lease });
    } catch (cause) {
      if (!hasCode(cause, 'SESSION_LOCKED')) throw cause;
      const message = `Session '${session_id}' is running. Wait for it, message it, or cancel it first.`;
      throw new DelegationError(message, { code: 'SESSION_BUSY', origin: session_id, cause });
    }
  }

  engineOf({ engine: id, workspace }: LaunchRecord): Engine {
    const engine = id === 'in_process' ? this.#inProcess : this.#options.engines?.[id.split(':')[0] ?? ''];
    if (!engine) {
      throw new DelegationError(`Nothing here can run '${id}'.`, { code: 'ENGINE_UNKNOWN', origin: id });
    }
    const { isolationHome } = this.#options;
    if (workspace.isolation === 'none')
      return workspace.report_changes && isolationHome !== undefined && id === 'in_process'
        ? new ComparingEngine(engine, isolationHome)
        : engine;
    if (isolationHome !== undefined) return new IsolatedEngine(engine, isolationHome);
    const message = 'Nothing here can give a child a tree of its own. Delegate without isolation.';
    throw new DelegationError(message, { code: 'CAPABILITY_MISSING' });
  }

  /** The tree of a root that begins. */
  plantTree(root: LaunchRecord): Tree {
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
      const planted = this.#trees.get(root_id) ?? tree;
      this.#trees.set(root_id, planted);
      return planted;
    } finally {
      this.#loading.delete(root_id);
    }
  }

  /** A place to work for a session that a dead process left, before anything of the session is opened. */
  async placeFor(session: Pick<LaunchRecord, 'root_id'>): Promise<Place> {
    const leave = this.live.hold(session.root_id);
    try {
      const { slots } = await this.treeOf(session);
      const slot = slots.tryAcquire() ?? (await slots.acquire());
      return {
        slot,
        leave: () => {
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
  expand(instruction: string, reader: { cwd: string; grant: Grant }): Promise<string> {
    return this.#options.expandInstruction?.(instruction, reader) ?? Promise.resolve(instruction);
  }

  /** Whoever comes back to a tree that is at rest finds all of it in the logs. */
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
export function relayTo(parent: Parent | null): TurnToRun['onEvent'] {
  const hooks = parent?.hooks;
  return hooks ? (name, data) => hooks.relay(name, data) : null;
}

/** A parent that waits does not keep its place from others. */
export function waitingFor<T>({ slot }: Parent, work: () => Promise<T>): Promise<T> {
  return slot ? slot.whileWaiting(work) : work();
}
