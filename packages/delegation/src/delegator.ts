import { type Clock, type ModuleLoader, systemClock } from '@amplifier/core';
import type { RunQueue, SessionLogs, SessionStore } from '@amplifier/sessions';
import { performBackground } from './background/background-work.js';
import type { ClaimedRun, RunEnd } from './background/queue-worker.js';
import type { Engine } from './engine/engine.js';
import { inProcessEngine } from './engine/turn-session.js';
import { treeOf } from './metering/tree-of.js';
import type { LaunchRecord } from './plan/launch-record.js';
import { planChild } from './plan/plan-child.js';
import type { RootRequest } from './plan/plan-root.js';
import { BARE_PROJECT, type Project } from './project.js';
import { type ContinueOptions, continueTurn, finishCall } from './recovery/continue-turn.js';
import { Control } from './recovery/control.js';
import { interruptTurns } from './recovery/interrupt-turns.js';
import { childOfCall, type DelegatingCall } from './recovery/left-turn.js';
import { loadLaunch, readOutcome, turnOf } from './recovery/stored-outcome.js';
import { DEFAULT_DELEGATE_CONFIG, type DelegateConfig } from './request/delegate-config.js';
import { keepOnce } from './request/delegate-events.js';
import type { Delegation, Ended, Outcome } from './request/outcome.js';
import { readDelegateRequest } from './request/request.js';
import type { Runtime } from './runtime.js';
import {
  type AdoptRequest,
  adoptSession,
  createRoot,
  forkSession,
  planCheckedRoot,
  startRoot,
} from './turn/begin-session.js';
import { delegate, tellMissed } from './turn/delegate.js';
import { LiveSessions } from './turn/live-sessions.js';
import type { Parent } from './turn/parent.js';
import { type ResumeOptions, resumeSession } from './turn/resume-session.js';
import { type StoredParentOptions, storedParent } from './turn/stored-parent.js';
import type { PlannedLaunch } from './turn/turn.js';
import { turnStartIn } from './turn/turn-start.js';

/** A record and a project. Only the store and the loader are always needed. */
export interface DelegatorOptions extends Partial<Project> {
  store: SessionStore;
  loader: ModuleLoader;
  /** Gives out the right to write sessions. Default: the store. */
  logs?: SessionLogs | undefined;
  /** Where children that run in the background wait. Without it there are none. */
  queue?: RunQueue | undefined;
  clock?: Clock | undefined;
  /** Called when a background child waits in the queue, and must see to it that it is executed. Default: another process does so. */
  runInBackground?: (() => void) | undefined;
}

/** Hands tasks to sessions. One service for every entry point: each method is a function of this package on one `Runtime`. */
export class Delegator {
  readonly store: SessionStore;
  /** The sessions whose turns run in this process. */
  readonly live: LiveSessions;
  /** Status, waiting, messages, answers and cancelling, for sessions of any process. */
  readonly control: Control;
  readonly #runtime: Runtime;

  constructor(options: DelegatorOptions) {
    const { store, loader, logs = store, queue, clock = systemClock, ...more } = options;
    const { runInBackground: wakeWorker = () => {}, ...given } = more;
    const project = { ...BARE_PROJECT, ...given };
    const engines: Record<string, Engine> = { ...project.engines };
    const live = new LiveSessions();
    const record = { store, logs, queue: queue ?? null };
    const runtime: Runtime = { ...record, loader, clock, project, live, engines, wakeWorker };
    engines.in_process = inProcessEngine(runtime);
    this.store = store;
    this.live = live;
    this.#runtime = runtime;
    this.control = new Control(runtime);
  }

  /** Starts a session without a parent and runs its first turn. */
  start(request: RootRequest): Promise<Ended> {
    return startRoot(this.#runtime, request);
  }

  /** Creates a session without a parent and runs nothing: it waits for its first instruction, or for children. */
  create(request: Omit<RootRequest, 'instruction'>): Promise<LaunchRecord> {
    return createRoot(this.#runtime, request);
  }

  /** The launch that a root request leads to. Changes nothing. */
  planRoot(request: RootRequest): Promise<PlannedLaunch> {
    return planCheckedRoot(this.#runtime, request);
  }

  /** A stored session as a parent, for an entry point that delegates on its behalf while it does not run. */
  async parent(session_id: string, options: StoredParentOptions = {}): Promise<Parent> {
    const launch = await loadLaunch(this.store, session_id);
    return storedParent(this.#runtime, launch, await treeOf(this.#runtime, launch), options);
  }

  /** Hands a task to a child of `parent`. See `delegate`. */
  delegate(input: unknown, parent: Parent, config?: DelegateConfig): Promise<Delegation> {
    return delegate(this.#runtime, input, parent, config);
  }

  /** The launch that a request leads to. Changes nothing. */
  async plan(
    input: unknown,
    parent: Parent,
    config: DelegateConfig = DEFAULT_DELEGATE_CONFIG,
  ): Promise<PlannedLaunch> {
    return planChild(this.#runtime, readDelegateRequest(input), parent, config);
  }

  /** Gives a session another instruction, from outside of any session. */
  resume(session_id: string, instruction: string, options: ResumeOptions = {}): Promise<Ended> {
    return resumeSession(this.#runtime, session_id, instruction, options);
  }

  /**
   * Creates a session that begins with the conversation of another, up to the end of a turn. The source may be running and is not
   * changed. The fork has the rights the source was launched with.
   */
  fork(session_id: string, { turn }: { turn?: number | undefined } = {}): Promise<LaunchRecord> {
    return forkSession(this.#runtime, session_id, turn);
  }

  /** Finishes a turn that a dead process left. See `continueTurn`. */
  continue(session_id: string, options: ContinueOptions = {}): Promise<Ended> {
    return continueTurn(this.#runtime, session_id, options);
  }

  /**
   * The turn that an entry point began under this name, and its outcome so far: null when it did not begin, or another has begun
   * since. After a crash this tells a turn that has to be continued from one that has to be begun.
   */
  async startedBy(
    session_id: string,
    call_id: string,
  ): Promise<{ turn: number; outcome: Outcome | null } | null> {
    const metadata = await this.store.metadata(session_id);
    const start = turnStartIn(metadata);
    if (start?.parent_id !== null || start.tool_call_id !== call_id) return null;
    return { turn: turnOf(metadata), outcome: await readOutcome(this.store, metadata) };
  }

  /** The child that a call of an entry point on behalf of `parent_id` created or resumed, and its outcome so far. Null when there is none. */
  async calledBy(
    parent_id: string,
    call: DelegatingCall,
  ): Promise<{ session_id: string; turn: number; outcome: Outcome | null } | null> {
    const session_id = await childOfCall(call, this.store, parent_id);
    if (session_id === null) return null;
    const metadata = await this.store.metadata(session_id);
    return { session_id, turn: turnOf(metadata), outcome: await readOutcome(this.store, metadata) };
  }

  /** Ends what a dead process left of a session and of those below it as interrupted. See `interruptTurns`. */
  interrupt(session_id: string): Promise<Outcome> {
    return interruptTurns(this.#runtime, session_id);
  }

  /**
   * Brings the child of a call that an entry point made on behalf of `parent`, in a process that died, to its end. Null when the call
   * reached no child. What the parent's log lacks of it is added there.
   */
  async finishCall(parent: Parent, call: DelegatingCall): Promise<Delegation | null> {
    const { session_id, log, cancellation, claim } = parent;
    const finished = await finishCall(this.#runtime, session_id, call, { cancellation, claim });
    if (finished === null) return null;
    if (log)
      await keepOnce(
        finished.events,
        { session_id, appendEvents: (events) => log.appendEvents(events) },
        this.store,
      );
    const { delegation } = finished;
    return log?.hasMissed ? tellMissed(this.#runtime, delegation) : delegation;
  }

  /** Executes a background child that a worker of this process has claimed. */
  performBackground(claimed: ClaimedRun): Promise<RunEnd> {
    return performBackground(this.#runtime, claimed);
  }

  /** Makes a session that an entry point created by itself one that can be run. See `adoptSession`. */
  adopt(session_id: string, request: () => Promise<AdoptRequest>): Promise<LaunchRecord> {
    return adoptSession(this.#runtime, session_id, request);
  }
}
