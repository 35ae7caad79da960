import {
  type CancellationToken,
  type Clock,
  type Coordinator,
  type DisplaySystem,
  errorInfo,
  isPlainObject,
  type JsonObject,
  type ModuleLoader,
  type MountPlan,
  type Report,
  systemClock,
} from '@amplifier/core';
import { hasCode, type RunQueue, type SessionLog, type SessionStore } from '@amplifier/sessions';
import { intersectGrants } from '@amplifier/workspace';
import { type AgentCatalog, NO_AGENTS, rosterOf } from './agents.js';
import { BackgroundWork, completionLetter } from './background.js';
import { continueTurn, instructionMessage } from './continue-turn.js';
import { Control } from './control.js';
import { DEFAULT_DELEGATE_CONFIG, type DelegateConfig } from './delegate-config.js';
import {
  announce,
  announceBeginning,
  type CallIds,
  resumedEvent,
  spawnedEvent,
  terminalEvent,
} from './delegate-events.js';
import { DelegationError } from './delegation-error.js';
import type { Engine } from './engine/engine.js';
import { InProcessEngine } from './engine/in-process-engine.js';
import { IsolatedEngine } from './engine/isolated-engine.js';
import type { Question, Questions } from './engine/questions.js';
import { StopSwitch } from './engine/stop-switch.js';
import { equipSession } from './equip-session.js';
import { DELEGATE_ERROR } from './events.js';
import { admitChild } from './launch/admit-child.js';
import { buildLaunchRecord, type PlannedLaunch, tighterMode } from './launch/build-launch-record.js';
import { buildRootRecord, type RootRequest } from './launch/build-root-record.js';
import { createChild } from './launch/create-child.js';
import { forkRecord } from './launch/fork-record.js';
import { resolveAgent } from './launch/resolve-agent.js';
import { restoreSecrets } from './launch/restore-secrets.js';
import type { LaunchRecord } from './launch-record.js';
import { tightenLimits } from './limits/limits.js';
import { loadTree, Tree } from './limits/tree.js';
import { LiveSessions } from './live-sessions.js';
import type { Outcome } from './outcome.js';
import type { Parent } from './parent.js';
import { type DelegateRequest, readDelegateRequest } from './request.js';
import { capsOf, runTurn, type TurnToRun, unrun } from './run-turn.js';
import { loadLaunch, outcomeIn, recordOutcome, turnOf } from './stored-outcome.js';
import { type StoredParentOptions, storedParent } from './stored-parent.js';
import { callOfTurn, launchOfTurn, type TurnStart } from './turn-start.js';

export interface DelegatorOptions {
  store: SessionStore;
  loader: ModuleLoader;
  /** Where children that run in the background wait. Without it there are none. */
  queue?: RunQueue;
  agents?: AgentCatalog;
  /** Engines beside the one in this process, by the word before the colon of an engine id: `acp` for `acp:claude_code`. */
  engines?: Record<string, Engine>;
  clock?: Clock;
  report?: Report;
  display?: DisplaySystem;
  /** The system prompt of a session. Default: the agent's instruction as it is. */
  systemPrompt?: (launch: LaunchRecord) => Promise<string | null>;
  /** Works on the instruction before it is stored, such as reading the files it mentions. Never sees inherited text. */
  expandInstruction?: (instruction: string, cwd: string) => Promise<string>;
  /** Told of every question of every session here. Answer with `answer`. Without it every question is a no. */
  onQuestion?: (question: Question) => void;
  /** Puts the app's own capabilities on each session before its modules mount. */
  equip?: (coordinator: Coordinator, seat: Parent) => void;
  /** A plan that still has the secrets stored plans lack. */
  livePlan?: MountPlan;
  /** Where trees of isolated children live. Without it no child can be isolated. */
  isolationHome?: string;
  /** Who runs background children: this process (the default), or whoever this calls, such as a detached worker. */
  runInBackground?: () => void;
}

/** What a delegation came to: an outcome, or the word that it goes on in the background. */
export type Delegation =
  | { kind: 'outcome'; outcome: Outcome; launch: LaunchRecord }
  | { kind: 'background'; launch: LaunchRecord };

/** Hands tasks to sessions. One service for every door. */
export class Delegator {
  readonly store: SessionStore;
  readonly live = new LiveSessions();
  readonly #options: DelegatorOptions;
  readonly #clock: Clock;
  readonly #agents: AgentCatalog;
  readonly #inProcess: Engine;
  readonly #trees = new Map<string, Tree>();
  readonly background: BackgroundWork | null;
  /** Status, waiting, messages, answers and cancelling, for sessions of any process. */
  readonly control: Control;

  constructor(options: DelegatorOptions) {
    const { store, loader, clock = systemClock, display, report, systemPrompt, onQuestion } = options;
    this.store = store;
    this.#options = options;
    this.#clock = clock;
    this.#agents = options.agents ?? NO_AGENTS;
    this.#inProcess = new InProcessEngine({
      store,
      loader,
      clock,
      onQuestion: onQuestion ?? null,
      equip: (coordinator, seat, questions) => this.#equip(coordinator, seat, questions),
      ...(display ? { display } : {}),
      ...(report ? { report } : {}),
      ...(systemPrompt ? { systemPrompt } : {}),
    });
    this.background = options.queue ? new BackgroundWork(options.queue, this, options.runInBackground) : null;
    this.control = new Control({
      store,
      live: this.live,
      background: this.background,
      handBackLater: (...ended) => this.handBackLater(...ended),
    });
  }

  /** Starts a session without a parent and runs its first turn. */
  async start(request: RootRequest): Promise<{ outcome: Outcome; launch: LaunchRecord }> {
    const planned = await this.planRoot(request);
    const { record } = planned;
    const engine = this.#engineOf(record);
    const tree = new Tree(record.root_id, capsOf(record));
    const log = await createChild(this.store, planned);
    this.#trees.set(record.root_id, tree);
    const stop = new StopSwitch(request.cancellation);
    const outcome = await this.#run(engine, {
      launch: record,
      plan: planned.plan,
      log,
      number: 1,
      prompt: planned.prompt,
      tree,
      parent: null,
      stop,
      onEvent: request.onEvent ?? null,
    });
    return { outcome, launch: record };
  }

  /** Makes a session without a parent and runs nothing: it waits for its first instruction, or for children. */
  async create(request: Omit<RootRequest, 'instruction'>): Promise<LaunchRecord> {
    const planned = await this.planRoot({ ...request, instruction: '' });
    const log = await createChild(this.store, planned);
    await log.close();
    return planned.record;
  }

  /** The launch a root request would lead to, worked out and not carried out. */
  planRoot(request: RootRequest): Promise<PlannedLaunch> {
    return buildRootRecord(request, this.#agents, this.#clock);
  }

  /** A stored session as a parent, for a door that delegates on its behalf while it does not run. */
  async parent(session_id: string, options: StoredParentOptions = {}): Promise<Parent> {
    const launch = await loadLaunch(this.store, session_id);
    return storedParent(this.store, launch, this.#planOf(launch, null), await this.#treeOf(launch), options);
  }

  /** Hands a task to a child of `parent`. Throws a `DelegationError` when it is refused before a child exists. */
  async delegate(
    input: unknown,
    parent: Parent,
    config: DelegateConfig = DEFAULT_DELEGATE_CONFIG,
  ): Promise<Delegation> {
    try {
      const request = readDelegateRequest(input);
      if (request.session_id !== undefined)
        return await this.#resumeChild(request, request.session_id, parent, config);
      return await this.#spawn(await this.#plan(request, parent, config), parent, config);
    } catch (error) {
      await this.#announceRefusal(error, input, parent);
      throw error;
    }
  }

  /** The launch a request would lead to, worked out and not carried out. */
  async plan(
    input: unknown,
    parent: Parent,
    config: DelegateConfig = DEFAULT_DELEGATE_CONFIG,
  ): Promise<PlannedLaunch> {
    return this.#plan(readDelegateRequest(input), parent, config);
  }

  async #plan(request: DelegateRequest, parent: Parent, config: DelegateConfig): Promise<PlannedLaunch> {
    if (request.agent === undefined || request.agent === '') {
      throw new DelegationError('Name an agent to delegate to, or a session_id to resume.', {
        code: 'AGENT_REQUIRED',
      });
    }
    const selected = config.features.provider_selection.enabled ? request : withoutSelection(request);
    const agent = await resolveAgent(request.agent, parent, this.#agents);
    const instruction = await this.#expand(request.instruction, parent.workspace.cwd);
    return buildLaunchRecord({
      request: { ...selected, instruction },
      agent,
      parent,
      config,
      clock: this.#clock,
    });
  }

  /** Gives a session another instruction, from outside of any session. */
  async resume(
    session_id: string,
    instruction: string,
    options: {
      cancellation?: CancellationToken;
      onEvent?: RootRequest['onEvent'];
      /** Run this turn on these instead of what the record says. */
      providers?: MountPlan['providers'];
    } = {},
  ): Promise<{ outcome: Outcome; launch: LaunchRecord }> {
    const request = readDelegateRequest({ instruction, session_id });
    const stored = await loadLaunch(this.store, session_id);
    const { providers } = options;
    const launch = providers ? { ...stored, plan: { ...stored.plan, providers } } : stored;
    const outcome = await this.#resume(launch, request, null, options.cancellation, options.onEvent ?? null);
    return { outcome, launch };
  }

  /**
   * Makes a session that begins with the conversation of another, up to the end of a turn, and can be given an instruction of
   * its own. The source may be running and is not changed. The fork has the rights the source was launched with.
   */
  async fork(session_id: string, { turn }: { turn?: number } = {}): Promise<LaunchRecord> {
    const record = forkRecord(await loadLaunch(this.store, session_id), this.#clock);
    const { parent_id, root_id, trace_id, depth, agent, workspace } = record;
    const log = await this.store.fork(session_id, {
      ...(turn === undefined ? {} : { turn }),
      session: {
        session_id: record.session_id,
        parent_id,
        root_id,
        trace_id,
        depth,
        agent_name: agent.name,
        working_dir: workspace.cwd,
        extra: { turn: 0 },
      },
      contents: { documents: { launch: { ...record } } },
    });
    await log.close();
    return record;
  }

  /**
   * Brings a turn that a dead process left behind to its end: takes the outcomes of finished children, finishes the others,
   * and lets the session go on. A turn that has an outcome is not run again.
   */
  async continue(
    session_id: string,
    options: { cancellation?: CancellationToken; onEvent?: RootRequest['onEvent']; lease?: number } = {},
  ): Promise<{ outcome: Outcome; launch: LaunchRecord }> {
    const launch = await loadLaunch(this.store, session_id);
    const engine = this.#engineOf(launch);
    const log = await this.#open(session_id, options.lease);
    this.background?.wake();
    const done = await this.#closingOnError(log, async () => {
      const left = await continueTurn(this, log);
      return left.outcome ? left : { ...left, tree: await this.#treeOf(launch) };
    });
    if (done.outcome) {
      await log.close();
      return { outcome: done.outcome, launch };
    }
    const { parent_id, background } = callOfTurn(launch, log.metadata);
    const parent = this.live.seat(parent_id);
    // A child in the background is not stopped by what ends a turn of its parent.
    const above = background ? undefined : parent?.cancellation;
    const outcome = await this.#run(engine, {
      launch: launchOfTurn(launch, log.metadata),
      plan: this.#planOf(launch, parent),
      log,
      number: turnOf(log.metadata),
      prompt: done.prompt,
      carried: done.carried,
      tree: done.tree,
      parent,
      stop: new StopSwitch(options.cancellation ?? above),
      onEvent: options.onEvent ?? relayTo(parent),
    });
    return { outcome, launch };
  }

  /** A background child has ended: its parent is told, wherever it runs, once. */
  async handBackLater(session_id: string, turn: number, outcome: Outcome): Promise<void> {
    const launch = await loadLaunch(this.store, session_id);
    const call = callOfTurn(launch, await this.store.metadata(session_id));
    if (call.parent_id === null) return;
    this.live.seat(call.parent_id)?.addUsage(outcome.usage);
    const event = terminalEvent(launch, turn, outcome, call.parent_id, call);
    await this.store.send(completionLetter(call.parent_id, launch, turn, outcome, event));
  }

  /** Ends a turn that nobody will run any more, if it has not ended. */
  async giveUp(session_id: string, turn: number): Promise<void> {
    const launch = await loadLaunch(this.store, session_id);
    const log = await this.#open(session_id);
    try {
      if (turnOf(log.metadata) !== turn || outcomeIn(log.metadata)) return;
      const thrown = new DelegationError(
        `The process of session '${session_id}' died too often. Resume it to try again.`,
        { code: 'INTERRUPTED', origin: session_id },
      );
      const outcome = unrun(launch, { thrown });
      await recordOutcome(log, turn, outcome);
      await this.handBackLater(session_id, turn, outcome);
    } finally {
      await log.close();
    }
  }

  report(code: string, error: unknown): void {
    this.#options.report?.({ level: 'error', code, message: errorInfo(error).message, error });
  }

  async #spawn(planned: PlannedLaunch, parent: Parent, config: DelegateConfig): Promise<Delegation> {
    const { record } = planned;
    const engine = this.#engineOf(record);
    const queue = record.background ? this.#requireBackground() : null;
    admitChild(record.agent.name ?? '', parent, config);
    const log = await this.#create(planned, parent);
    if (!log) return { kind: 'outcome', ...(await this.#collect(record)) };
    await this.#closingOnError(log, () => announceBeginning(spawnedEvent(record), parent));
    if (queue) {
      await log.close();
      await queue.enqueue(record, 1);
      return { kind: 'background', launch: record };
    }
    const stop = new StopSwitch(parent.cancellation);
    const run = () =>
      this.#run(engine, {
        launch: record,
        plan: planned.plan,
        log,
        number: 1,
        prompt: planned.prompt,
        tree: parent.tree,
        parent,
        stop,
        onEvent: relayTo(parent),
      });
    const outcome = await waitingFor(parent, run);
    await this.#handBack(record, 1, outcome, parent, record);
    return { kind: 'outcome', outcome, launch: record };
  }

  /** Null when this very call has made its child before, in a process that died. */
  async #create(planned: PlannedLaunch, parent: Parent): Promise<SessionLog | null> {
    try {
      return await createChild(this.store, planned);
    } catch (error) {
      parent.tree.withdrawChild();
      if (hasCode(error, 'SESSION_EXISTS') && planned.record.tool_call_id !== null) return null;
      throw error;
    }
  }

  /** The outcome of the child that this very call has made before. Another call under the same id gets nothing. */
  async #collect(record: LaunchRecord): Promise<{ outcome: Outcome; launch: LaunchRecord }> {
    const { parent_id, tool_call_id } = record;
    const child = await this.store.childOfCall(parent_id ?? '', tool_call_id ?? '');
    const launch = child === null ? null : await loadLaunch(this.store, child);
    if (child !== null && launch && isSameCall(launch, record)) return this.continue(child);
    throw new DelegationError(
      `The tool call id '${tool_call_id}' was used before in this session, for another delegation. Call ids must not repeat.`,
      { code: 'CALL_ID_REUSED', origin: child ?? tool_call_id ?? '' },
    );
  }

  async #resumeChild(
    request: DelegateRequest,
    session_id: string,
    parent: Parent,
    config: DelegateConfig,
  ): Promise<Delegation> {
    if (!config.features.session_resume.enabled) {
      throw new DelegationError('Resuming sessions is switched off. Delegate to an agent instead.', {
        code: 'RESUME_DISABLED',
      });
    }
    const launch = await loadLaunch(this.store, session_id);
    if (request.background) {
      const queue = this.#requireBackground();
      const begun = await this.#begin(launch, request, parent);
      await begun.log.close();
      await queue.enqueue(launch, begun.number);
      return { kind: 'background', launch };
    }
    const outcome = await waitingFor(parent, () =>
      this.#resume(launch, request, parent, parent.cancellation, relayTo(parent)),
    );
    return { kind: 'outcome', outcome, launch };
  }

  async #resume(
    launch: LaunchRecord,
    request: DelegateRequest,
    parent: Parent | null,
    cancellation: CancellationToken | undefined,
    onEvent: TurnToRun['onEvent'],
  ): Promise<Outcome> {
    const engine = this.#engineOf(launch);
    const tree = parent?.tree ?? (await this.#treeOf(launch));
    const warnings = await this.#drift(launch);
    const { log, number, prompt } = await this.#begin(launch, request, parent);
    const outcome = await this.#run(engine, {
      launch: launchOfTurn(launch, log.metadata),
      plan: this.#planOf(launch, parent),
      log,
      number,
      prompt,
      warnings,
      tree,
      parent,
      stop: new StopSwitch(cancellation),
      onEvent,
    });
    await this.#handBack(launch, number, outcome, parent, request);
    return outcome;
  }

  /** Puts another turn of a session on disk: who asked for it, under which rights, and the instruction. Nothing has run yet. */
  async #begin(launch: LaunchRecord, request: DelegateRequest, parent: Parent | null) {
    const prompt = await this.#expand(request.instruction, launch.workspace.cwd);
    const log = await this.#open(launch.session_id);
    return this.#closingOnError(log, async () => {
      const number = turnOf(log.metadata) + 1;
      await log.repairToolCalls('The session was resumed before this call had a result.');
      const start: TurnStart = {
        prompt,
        after: log.metadata.message_count,
        usage: log.metadata.usage,
        parent_id: parent?.session_id ?? null,
        tool_call_id: request.tool_call_id ?? null,
        parallel_group_id: request.parallel_group_id ?? null,
        background: request.background ?? false,
        ...rightsOfTurn(launch, request, parent),
      };
      await log.update({ extra: { turn: number, turn_start: start } });
      await log.appendMessages([instructionMessage(prompt)]);
      await announceBeginning(resumedEvent(launch, number, start.parent_id, request), parent);
      return { log, number, prompt };
    });
  }

  async #run(engine: Engine, turn: TurnToRun): Promise<Outcome> {
    const leave = this.live.enter(turn.launch, turn.stop);
    try {
      return await runTurn(engine, turn);
    } finally {
      leave();
      turn.stop.release();
      await turn.log.close();
      this.#forgetTree(turn.tree);
    }
  }

  /** Whoever comes back to a tree that is at rest finds all of it in the logs. */
  #forgetTree({ root_id }: Tree): void {
    if (!this.live.hasTree(root_id)) this.#trees.delete(root_id);
  }

  async #closingOnError<T>(log: SessionLog, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      await log.close();
      throw error;
    }
  }

  async #handBack(
    launch: LaunchRecord,
    turn: number,
    outcome: Outcome,
    parent: Parent | null,
    call: CallIds,
  ): Promise<void> {
    parent?.addUsage(outcome.usage);
    await announce(terminalEvent(launch, turn, outcome, parent?.session_id ?? null, call), parent);
  }

  #requireBackground(): BackgroundWork {
    if (this.background) return this.background;
    throw new DelegationError('Nothing here runs children in the background. Delegate without background.', {
      code: 'CAPABILITY_MISSING',
    });
  }

  async #open(session_id: string, lease?: number): Promise<SessionLog> {
    try {
      return await this.store.open(session_id, lease === undefined ? {} : { lease });
    } catch (cause) {
      if (!hasCode(cause, 'SESSION_LOCKED')) throw cause;
      throw new DelegationError(
        `Session '${session_id}' is running. Wait for it, message it, or cancel it first.`,
        {
          code: 'SESSION_BUSY',
          origin: session_id,
          cause,
        },
      );
    }
  }

  async #treeOf({ root_id }: LaunchRecord): Promise<Tree> {
    const known = this.#trees.get(root_id);
    if (known) return known;
    const root = await loadLaunch(this.store, root_id);
    const tree = await loadTree(this.store, root_id, capsOf(root));
    const raced = this.#trees.get(root_id);
    if (raced) return raced;
    this.#trees.set(root_id, tree);
    return tree;
  }

  /** The stored plan with its secrets: those of the agent's own modules, then those it inherited. */
  #planOf({ plan, agent }: LaunchRecord, parent: Parent | null): MountPlan {
    const source = parent?.plan ?? this.#options.livePlan;
    if (!source) return plan;
    const own = rosterOf(source.agents).get(agent.name ?? '');
    const restored = own ? restoreSecrets(plan, { ...own, session: source.session } as MountPlan) : plan;
    return restoreSecrets(restored, source);
  }

  /** A session goes on with the agent it was launched with; that the file has changed since is said, not acted on. */
  async #drift({ agent: { name, digest } }: LaunchRecord): Promise<string[]> {
    if (name === null || digest === null) return [];
    const now = await this.#agents.find(name).catch(() => null);
    if (now?.digest === digest) return [];
    const what = now ? 'has changed' : 'is gone or cannot be read';
    return [
      `The file of agent '${name}' ${what} since this session was launched; it goes on as it was. Delegate anew to use the file as it is.`,
    ];
  }

  #engineOf({ engine: id, workspace }: LaunchRecord): Engine {
    const engine = id === 'in_process' ? this.#inProcess : this.#options.engines?.[id.split(':')[0] ?? ''];
    if (!engine)
      throw new DelegationError(`Nothing here can run '${id}'.`, { code: 'ENGINE_UNKNOWN', origin: id });
    if (workspace.isolation === 'none') return engine;
    const { isolationHome } = this.#options;
    if (isolationHome !== undefined) return new IsolatedEngine(engine, isolationHome);
    throw new DelegationError(
      'Nothing here can give a child a tree of its own. Delegate without isolation.',
      {
        code: 'CAPABILITY_MISSING',
      },
    );
  }

  #expand(instruction: string, cwd: string): Promise<string> {
    return this.#options.expandInstruction?.(instruction, cwd) ?? Promise.resolve(instruction);
  }

  #equip(coordinator: Coordinator, seat: Parent, questions: Questions): void {
    this.live.sit(seat);
    coordinator.registerCleanup(() => this.live.rise(seat));
    equipSession(this, coordinator, seat, questions);
    this.#options.equip?.(coordinator, seat);
  }

  async #announceRefusal(error: unknown, input: unknown, parent: Parent): Promise<void> {
    const {
      agent,
      session_id = null,
      tool_call_id = null,
      parallel_group_id = null,
    } = (isPlainObject(input) ? input : {}) as JsonObject;
    const { message, code } = errorInfo(error);
    await parent.hooks?.emit(DELEGATE_ERROR, {
      ...(agent === undefined ? {} : { agent }),
      sub_session_id: session_id,
      session_id,
      parent_session_id: parent.session_id,
      tool_call_id,
      parallel_group_id,
      error: message,
      error_code: code ?? null,
      metadata: null,
    });
  }
}

/** Events of a child reach the observers of its parent, and theirs in turn. */
function relayTo(parent: Parent | null): TurnToRun['onEvent'] {
  const hooks = parent?.hooks;
  return hooks ? (name, data) => hooks.relay(name, data) : null;
}

/** A parent that waits does not keep its place from others. */
function waitingFor<T>({ slot }: Parent, work: () => Promise<T>): Promise<T> {
  return slot ? slot.whileWaiting(work) : work();
}

/** Whoever resumes a session cannot give it more than they have themselves. */
function rightsOfTurn(launch: LaunchRecord, { limits, timeout }: DelegateRequest, parent: Parent | null) {
  const { grant, safety_mode } = launch;
  const wanted = { ...limits, ...(timeout ? { timeout } : {}) };
  if (!parent) return { grant, safety_mode, limits: tightenLimits(launch.limits, wanted) };
  return {
    grant: intersectGrants(grant, parent.grant),
    safety_mode: tighterMode(parent.safety_mode, safety_mode),
    limits: tightenLimits(tightenLimits(launch.limits, parent.limits), wanted),
  };
}

function isSameCall(a: LaunchRecord, b: LaunchRecord): boolean {
  return (
    a.agent.name === b.agent.name &&
    a.instruction === b.instruction &&
    a.parallel_group_id === b.parallel_group_id
  );
}

function withoutSelection({
  provider_preferences: _,
  model_role: __,
  ...request
}: DelegateRequest): DelegateRequest {
  return request;
}
