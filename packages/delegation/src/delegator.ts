import {
  type CancellationToken,
  type Clock,
  type Coordinator,
  type DisplaySystem,
  errorInfo,
  type JsonObject,
  type ModuleLoader,
  type MountPlan,
  type Report,
  systemClock,
} from '@amplifier/core';
import { hasCode, type RunQueue, type SessionLog, type SessionStore } from '@amplifier/sessions';
import { intersectGrants } from '@amplifier/workspace';
import { type AgentCatalog, NO_AGENTS } from './agents.js';
import { BackgroundWork, completionLetter } from './background.js';
import { continueTurn } from './continue-turn.js';
import { Control } from './control.js';
import { DEFAULT_DELEGATE_CONFIG, type DelegateConfig } from './delegate-config.js';
import { announce, type CallIds, resumedEvent, spawnedEvent, terminalEvent } from './delegate-events.js';
import { DelegationError } from './delegation-error.js';
import type { Engine } from './engine/engine.js';
import { InProcessEngine } from './engine/in-process-engine.js';
import { IsolatedEngine } from './engine/isolated-engine.js';
import type { Question, Questions } from './engine/questions.js';
import { StopSwitch } from './engine/stop-switch.js';
import { equipSession } from './equip-session.js';
import { DELEGATE_ERROR } from './events.js';
import { admitChild } from './launch/admit-child.js';
import { buildLaunchRecord, type PlannedLaunch } from './launch/build-launch-record.js';
import { buildRootRecord, type RootRequest } from './launch/build-root-record.js';
import { createChild } from './launch/create-child.js';
import { resolveAgent } from './launch/resolve-agent.js';
import { restoreSecrets } from './launch/restore-secrets.js';
import type { LaunchRecord } from './launch-record.js';
import { tightenLimits } from './limits/limits.js';
import { loadTree, Tree } from './limits/tree.js';
import { LiveSessions } from './live-sessions.js';
import type { Outcome } from './outcome.js';
import type { Parent } from './parent.js';
import { type DelegateRequest, readDelegateRequest } from './request.js';
import { runTurn, type TurnToRun } from './run-turn.js';
import { loadLaunch, turnOf } from './stored-outcome.js';

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
    this.control = new Control({ store, live: this.live, background: this.background });
  }

  /** Starts a session without a parent and runs its first turn. */
  async start(request: RootRequest): Promise<{ outcome: Outcome; launch: LaunchRecord }> {
    const planned = await buildRootRecord(request, this.#agents, this.#clock);
    const { record } = planned;
    const tree = new Tree(record.root_id, record.limits);
    this.#trees.set(record.root_id, tree);
    const log = await createChild(this.store, planned);
    const stop = new StopSwitch(request.cancellation);
    const outcome = await this.#run({
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
      return await this.#spawn(await this.plan(request, parent, config), parent, config);
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
    const request = readDelegateRequest(input);
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
    options: { cancellation?: CancellationToken; onEvent?: RootRequest['onEvent'] } = {},
  ): Promise<{ outcome: Outcome; launch: LaunchRecord }> {
    const request = readDelegateRequest({ instruction, session_id });
    const launch = await loadLaunch(this.store, session_id);
    const outcome = await this.#resume(launch, request, null, options.cancellation, options.onEvent ?? null);
    return { outcome, launch };
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
    const log = await this.#open(session_id, options.lease);
    const parent = this.live.seat(launch.parent_id);
    const left = await this.#leftBehind(launch, log);
    if (left.outcome) return { outcome: left.outcome, launch };
    const outcome = await this.#run({
      launch,
      plan: this.#planOf(launch, parent),
      log,
      number: turnOf(log.metadata),
      prompt: left.prompt,
      tree: left.tree,
      parent,
      stop: new StopSwitch(options.cancellation ?? parent?.cancellation),
      onEvent: options.onEvent ?? relayTo(parent),
    });
    return { outcome, launch };
  }

  /** A background child has ended: its parent is told, wherever it runs, once. */
  async handBackLater(launch: LaunchRecord, turn: number, outcome: Outcome): Promise<void> {
    const parent = this.live.seat(launch.parent_id);
    await this.store.send(completionLetter(launch, turn, outcome));
    await this.#handBack(launch, turn, outcome, parent, launch);
  }

  report(code: string, error: unknown): void {
    this.#options.report?.({ level: 'error', code, message: errorInfo(error).message, error });
  }

  async #spawn(planned: PlannedLaunch, parent: Parent, config: DelegateConfig): Promise<Delegation> {
    const { record } = planned;
    const engine = this.#engineOf(record);
    admitChild(record.agent.name ?? '', parent, config);
    const log = await this.#create(planned, parent);
    if (!log) return { kind: 'outcome', ...(await this.#collect(record)) };
    await announce(spawnedEvent(record), parent);
    if (record.background) {
      await log.close();
      await this.#inBackground(record, 1);
      return { kind: 'background', launch: record };
    }
    const stop = new StopSwitch(parent.cancellation);
    const run = () =>
      this.#run(
        {
          launch: record,
          plan: planned.plan,
          log,
          number: 1,
          prompt: planned.prompt,
          tree: parent.tree,
          parent,
          stop,
          onEvent: relayTo(parent),
        },
        engine,
      );
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

  async #collect({
    parent_id,
    tool_call_id,
  }: LaunchRecord): Promise<{ outcome: Outcome; launch: LaunchRecord }> {
    const child = await this.store.childOfCall(parent_id ?? '', tool_call_id ?? '');
    if (child === null) throw new Error(`The child of call ${tool_call_id} is gone.`);
    return this.continue(child);
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
    const log = await this.#open(launch.session_id);
    const number = turnOf(log.metadata) + 1;
    const instruction = await this.#expand(request.instruction, launch.workspace.cwd);
    await log.repairToolCalls('The session was resumed before this call had a result.');
    await Promise.all([
      log.update({ extra: { turn: number } }),
      log.appendMessages([{ role: 'user', content: instruction, metadata: { kind: 'instruction' } }]),
    ]);
    await announce(resumedEvent(launch, number, parent?.session_id ?? null, request), parent);
    const tightened = parent
      ? {
          ...launch,
          limits: tightenLimits(launch.limits, {
            ...request.limits,
            ...(request.timeout ? { timeout: request.timeout } : {}),
          }),
        }
      : launch;
    const outcome = await this.#run({
      launch: regranted(tightened, parent),
      plan: this.#planOf(launch, parent),
      log,
      number,
      prompt: instruction,
      tree: parent?.tree ?? (await this.#treeOf(launch)),
      parent,
      stop: new StopSwitch(cancellation),
      onEvent,
    });
    await this.#handBack(launch, number, outcome, parent, request);
    return outcome;
  }

  async #run(turn: TurnToRun, engine: Engine = this.#engineOf(turn.launch)): Promise<Outcome> {
    const leave = this.live.enter(turn.launch.session_id, turn.stop);
    try {
      return await runTurn(engine, turn);
    } finally {
      leave();
      turn.stop.release();
      if (turn.launch.depth === 0) this.#trees.delete(turn.launch.root_id);
      await turn.log.close();
    }
  }

  /** What a dead process left of a turn. The log stays open only when there is something left to run. */
  async #leftBehind(
    launch: LaunchRecord,
    log: SessionLog,
  ): Promise<{ outcome: Outcome } | { outcome: null; prompt: string; tree: Tree }> {
    try {
      const left = await continueTurn(this, log);
      if (left.outcome === null) return { ...left, tree: await this.#treeOf(launch) };
      await log.close();
      return left;
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

  async #inBackground(launch: LaunchRecord, turn: number): Promise<void> {
    if (!this.background) {
      throw new DelegationError(
        'Nothing here runs children in the background. Delegate without background.',
        { code: 'CAPABILITY_MISSING' },
      );
    }
    await this.background.enqueue(launch, turn);
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
    const tree = await loadTree(this.store, root_id, root.limits);
    this.#trees.set(root_id, tree);
    return tree;
  }

  #planOf({ plan }: LaunchRecord, parent: Parent | null): MountPlan {
    const source = parent?.plan ?? this.#options.livePlan;
    return source ? restoreSecrets(plan, source) : plan;
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
    const { agent, session_id = null } = (input ?? {}) as JsonObject;
    const { message, code } = errorInfo(error);
    await parent.hooks?.emit(DELEGATE_ERROR, {
      ...(agent === undefined ? {} : { agent }),
      sub_session_id: session_id,
      parent_session_id: parent.session_id,
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

/** Whoever resumes a session cannot give it more than it has itself. */
function regranted(launch: LaunchRecord, parent: Parent | null): LaunchRecord {
  return parent ? { ...launch, grant: intersectGrants(launch.grant, parent.grant) } : launch;
}

function withoutSelection({
  provider_preferences: _,
  model_role: __,
  ...request
}: DelegateRequest): DelegateRequest {
  return request;
}
