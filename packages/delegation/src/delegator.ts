import { type Coordinator, type Diagnostic, errorInfo } from '@amplifier/core';
import type { SessionStore } from '@amplifier/sessions';
import { childOfCall, type DelegatingCall, finishCall, type LeftTurnWatching } from './answer-left-calls.js';
import { BackgroundWork } from './background.js';
import { continueTurn, settleLeftTurn } from './continue-turn.js';
import { Control } from './control.js';
import { DEFAULT_DELEGATE_CONFIG, type DelegateConfig } from './delegate-config.js';
import { keepOnce } from './delegate-events.js';
import type { Delegation, Ended } from './delegation.js';
import { DelegationError } from './delegation-error.js';
import type { DelegatorOptions } from './delegator-options.js';
import type { Equipment } from './engine/attempt-options.js';
import type { Questions } from './engine/questions.js';
import { StopSwitch } from './engine/stop-switch.js';
import { equipSession } from './equip-session.js';
import { announceRefusal, handBackLater } from './hand-back.js';
import { giveUpTurn, interruptTurns } from './interrupt-turns.js';
import { requireRightToDelegate } from './launch/admit-child.js';
import { type AdoptRequest, adoptSession } from './launch/adopt-session.js';
import { createChild } from './launch/create-child.js';
import { forkSession } from './launch/fork-session.js';
import { planChild } from './launch/plan-child.js';
import { planRoot, type RootRequest } from './launch/plan-root.js';
import { withFailover } from './launch/with-failover.js';
import { refuseWithoutTree, withRights } from './launch/with-rights.js';
import { type Launching, launchChild } from './launch-child.js';
import type { LaunchRecord } from './launch-record.js';
import type { LiveSessions } from './live-sessions.js';
import type { Outcome } from './outcome.js';
import type { Parent } from './parent.js';
import { type DelegateRequest, readDelegateRequest } from './request.js';
import { beginTurn, inMode, planForTurn, resumeSession } from './resume-session.js';
import { loadLaunch, readOutcome, turnOf } from './stored-outcome.js';
import { type StoredParentOptions, storedParent } from './stored-parent.js';
import { newTurn, type PlannedTurn } from './turn.js';
import type { Continuing, ResumeOptions } from './turn-options.js';
import { closingOnError, type HeldSlot, relayTo, TurnRunner } from './turn-runner.js';
import { callOfTurn, launchOfTurn, limitsOfTurn, turnStartIn } from './turn-start.js';

/** Hands tasks to sessions. One service for every entry point. */
export class Delegator implements Equipment {
  readonly store: SessionStore;
  /** The sessions whose turns run in this process. */
  readonly live: LiveSessions;
  readonly background: BackgroundWork | null;
  /** Status, waiting, messages, answers and cancelling, for sessions of any process. */
  readonly control: Control;
  readonly #runner: TurnRunner;
  readonly #options: DelegatorOptions;

  constructor(options: DelegatorOptions) {
    const { store, queue, runInBackground } = options;
    this.store = store;
    this.#options = options;
    this.#runner = new TurnRunner(options, this);
    this.live = this.#runner.live;
    this.background = queue ? new BackgroundWork(queue, this, this.#runner.clock, runInBackground) : null;
    this.control = new Control({
      store,
      clock: this.#runner.clock,
      live: this.live,
      background: this.background,
      handBackLater: (...ended) => this.handBackLater(...ended),
    });
  }

  /** Puts delegation, and what the app brings, on a session of this process before its modules mount. */
  equip(coordinator: Coordinator, parent: Parent, questions: Questions): void {
    this.live.addParent(parent);
    coordinator.registerCleanup(() => this.live.removeParent(parent));
    equipSession(this, coordinator, parent, questions);
    this.#options.equip?.(coordinator, parent);
  }

  /** Starts a session without a parent and runs its first turn. */
  async start(request: RootRequest): Promise<Ended> {
    const runner = this.#runner;
    const planned = await this.planRoot(request);
    const { launch } = planned;
    runner.engineOf(launch);
    const log = await createChild(this.store, planned, { bundle: request.bundle, isActive: true });
    request.onCreated?.();
    const isModelChosen = (request.provider_preferences?.length ?? 0) > 0;
    const turn = newTurn({
      ...planned,
      ...(await closingOnError(log, () => planForTurn(planned.plan, { ...request, isModelChosen }))),
      log,
      tree: runner.newTree(launch),
      parent: null,
      models: request.models ?? null,
      cancellation: new StopSwitch(request.cancellation),
      observe: request.onEvent ?? null,
    });
    return { outcome: await runner.run(turn), launch };
  }

  /** Makes a session without a parent and runs nothing: it waits for its first instruction, or for children. */
  async create(request: Omit<RootRequest, 'instruction'>): Promise<LaunchRecord> {
    const planned = await this.planRoot({ ...request, instruction: '' });
    const log = await createChild(this.store, planned, { bundle: request.bundle });
    await log.close();
    return planned.launch;
  }

  /** The launch a root request would lead to, worked out and not carried out. */
  async planRoot(request: RootRequest): Promise<PlannedTurn> {
    const planned = await planRoot(this.#runner, request);
    await this.#runner.check(planned.launch);
    return planned;
  }

  /** A stored session as a parent, for an entry point that delegates on its behalf while it does not run. */
  async parent(session_id: string, options: StoredParentOptions = {}): Promise<Parent> {
    const runner = this.#runner;
    const launch = await loadLaunch(this.store, session_id);
    return storedParent(
      this.store,
      launch,
      runner.planOf(launch, null),
      await runner.treeOf(launch),
      options,
    );
  }

  /**
   * Hands a task to a child of `parent`. Throws a `DelegationError` when it is refused before a child exists. What it resolves
   * with is on disk, or, for a parent that runs here, before anything that the parent writes next.
   */
  async delegate(
    input: unknown,
    parent: Parent,
    config: DelegateConfig = DEFAULT_DELEGATE_CONFIG,
  ): Promise<Delegation> {
    try {
      const request = readDelegateRequest(input);
      if (request.session_id !== undefined)
        return await this.#resumeChild(request, request.session_id, parent, config);
      return await launchChild(this.#launching, request, parent, config);
    } catch (error) {
      this.#runner.forgetTree(parent);
      await announceRefusal(error, input, parent);
      throw error;
    }
  }

  /** The launch a request would lead to, worked out and not carried out. */
  async plan(
    input: unknown,
    parent: Parent,
    config: DelegateConfig = DEFAULT_DELEGATE_CONFIG,
  ): Promise<PlannedTurn> {
    return planChild(this.#runner, readDelegateRequest(input), parent, config);
  }

  /** Gives a session another instruction, from outside of any session. */
  async resume(session_id: string, instruction: string, options: ResumeOptions = {}): Promise<Ended> {
    const { cancellation, onEvent = null, providers, limits, call_id, rights, failover, network } = options;
    const request = readDelegateRequest({
      instruction,
      session_id,
      ...(limits ? { limits } : {}),
      ...(network === undefined ? {} : { network }),
      ...(options.attachments ? { attachments: options.attachments } : {}),
      ...(call_id === undefined ? {} : { tool_call_id: call_id }),
    });
    const stored = await loadLaunch(this.store, session_id);
    const plan = withFailover(stored.plan, failover);
    const launch = withRights({ ...stored, plan: providers ? { ...plan, providers } : plan }, rights);
    await this.#settleLeftTurn(session_id, { cancellation, onEvent: onEvent ?? undefined });
    const isModelChosen = providers !== undefined;
    const { check } = options;
    const resuming = { launch, request, parent: null, cancellation, observe: onEvent, isModelChosen, check };
    return { outcome: await resumeSession(this.#runner, resuming), launch };
  }

  /**
   * Makes a session that begins with the conversation of another, up to the end of a turn, and can be given an instruction of
   * its own. The source may be running and is not changed. The fork has the rights the source was launched with.
   */
  async fork(session_id: string, { turn }: { turn?: number } = {}): Promise<LaunchRecord> {
    return forkSession(this.store, this.#runner.clock, session_id, turn);
  }

  /**
   * Brings a turn that a dead process left behind to its end: takes the outcomes of finished children, finishes the others,
   * and lets the session continue. A turn that has an outcome is not run again.
   */
  async continue(session_id: string, options: Continuing = {}): Promise<Ended> {
    const runner = this.#runner;
    const launch = options.launch ?? (await loadLaunch(this.store, session_id));
    runner.engineOf(launch);
    const log = await runner.open(session_id, options.lease);
    this.background?.wake();
    const left = await closingOnError(log, async () => {
      await options.check?.();
      const turn = await continueTurn(this, log, options);
      return turn.outcome ? turn : { ...turn, tree: await runner.treeOf(launch) };
    });
    if (left.outcome) {
      await log.close();
      return { outcome: left.outcome, launch };
    }
    const { parent_id, background } = callOfTurn(launch, log.metadata);
    const parent = this.live.parent(parent_id);
    // A child in the background is not stopped by what ends a turn of its parent.
    const above = background ? undefined : parent?.cancellation;
    const { instruction, attached, carried, questions, tree } = left;
    const turn = newTurn({
      launch: launchOfTurn(launch, log.metadata),
      plan: runner.planOf(launch, parent),
      log,
      number: turnOf(log.metadata),
      instruction,
      attached,
      carried,
      questions,
      tree,
      slot: options.slot ?? null,
      limits: limitsOfTurn(launch, log.metadata),
      parent,
      cancellation: new StopSwitch(options.cancellation ?? above),
      observe: options.onEvent ?? relayTo(parent),
    });
    return { outcome: await runner.run(turn), launch };
  }

  /** A run slot in the tree of a session that is to continue. */
  holdSlot(session: Pick<LaunchRecord, 'root_id'>): Promise<HeldSlot> {
    return this.#runner.holdSlot(session);
  }

  /**
   * The turn that an entry point began under this name, as far as it got: null when it did not begin, or another has begun since.
   * After a crash this tells a turn that has to continue from one that nobody has seen yet.
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

  /** The child that a call of an entry point on behalf of `parent_id` got to, as far as that got. Null when it got to none. */
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
    const { store, live, control } = this;
    return interruptTurns({ store, live, control, open: (id) => this.#runner.open(id) }, session_id);
  }

  /**
   * Brings the child of a call that an entry point made on behalf of `parent`, in a process that died, to its end. Null when the call
   * got to no child. What the parent's log lacks of it is added there.
   */
  async finishCall(
    { session_id, log, cancellation }: Parent,
    call: DelegatingCall,
  ): Promise<Delegation | null> {
    const finished = await finishCall(this, session_id, call, { cancellation });
    if (finished === null) return null;
    if (log)
      await keepOnce(
        finished.events,
        { session_id, appendEvents: (events) => log.appendEvents(events) },
        this.store,
      );
    return finished.delegation;
  }

  /** Makes a session that an entry point created by itself one that can be run. See `adoptSession`. */
  adopt(session_id: string, request: () => Promise<AdoptRequest>): Promise<LaunchRecord> {
    return adoptSession(this.#runner, session_id, request);
  }

  /** A background child has ended: its parent is told, wherever it runs, once. */
  async handBackLater(session_id: string, turn: number, outcome: Outcome): Promise<void> {
    await handBackLater(this.store, this.live, session_id, turn, outcome);
  }

  /** Ends a turn that nobody will run any more, if it has not ended. */
  giveUp(session_id: string, turn: number): Promise<void> {
    return giveUpTurn(this, (id) => this.#runner.open(id), session_id, turn);
  }

  /** Another has claimed the turn: it ends here, and nothing more of it is written, not even that it was stopped. */
  cutOff(session_id: string, lease: number): void {
    const { claimed } = this.#runner;
    claimed.cutOff(session_id, lease);
    for (const id of this.live.within(session_id))
      if (claimed.isCutOff(id)) this.live.stop(id, { kind: 'cancel', by: 'a newer owner' }, 'immediate');
  }

  report(code: string, error: unknown): void {
    this.tell({ level: 'error', code, message: errorInfo(error).message, error });
  }

  tell(diagnostic: Diagnostic): void {
    this.#options.report?.(diagnostic);
  }

  async #resumeChild(
    request: DelegateRequest,
    session_id: string,
    parent: Parent,
    { features }: DelegateConfig,
  ): Promise<Delegation> {
    if (!features.session_resume.enabled) {
      const message = 'Resuming sessions is disabled. Delegate to an agent instead.';
      throw new DelegationError(message, { code: 'RESUME_DISABLED' });
    }
    await this.control.descendant(session_id, parent.session_id);
    const launch = inMode(request.safety_mode, await loadLaunch(this.store, session_id));
    refuseWithoutTree(request, launch.safety_mode);
    requireRightToDelegate(launch.agent.name ?? session_id, parent);
    const { cancellation } = parent;
    await this.#settleLeftTurn(session_id, { cancellation, onEvent: relayTo(parent) ?? undefined });
    if (request.background && features.background.enabled) {
      const queue = this.#requireBackground();
      const begun = await beginTurn(this.#runner, launch, request, parent, parent.tree);
      await begun.log.close();
      this.live.addBackground(parent.session_id, session_id);
      await queue.enqueue(launch, begun.number);
      return { kind: 'background', launch };
    }
    const resuming = { launch, request, parent, cancellation, observe: relayTo(parent) };
    return { kind: 'outcome', outcome: await resumeSession(this.#runner, resuming), launch };
  }

  /** A session whose process died takes the outcomes of its children, all brought to their ends, before it is told something new. */
  async #settleLeftTurn(session_id: string, watching: LeftTurnWatching): Promise<void> {
    if (!(await this.control.status(session_id)).interrupted) return;
    await using log = await this.#runner.open(session_id);
    await settleLeftTurn(this, log, watching);
  }

  get #launching(): Launching {
    return {
      runner: this.#runner,
      background: () => this.#requireBackground(),
      continue: (session_id) => this.continue(session_id),
    };
  }

  #requireBackground(): BackgroundWork {
    if (this.background) return this.background;
    const message = 'Background children are not available here. Delegate without background.';
    throw new DelegationError(message, { code: 'CAPABILITY_MISSING' });
  }
}
