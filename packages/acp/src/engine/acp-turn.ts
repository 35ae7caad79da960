import {
  addUsage,
  type Clock,
  isAcceptance,
  type JsonObject,
  moduleSpec,
  NO_USAGE,
  type Report,
  type Usage,
} from '@amplifier/core';
import {
  endLeftObserved,
  type LaunchRecord,
  type MailHandlers,
  type Outcome,
  patchArtifact,
  type Question,
  Questions,
  type StopSwitch,
  type Turn,
} from '@amplifier/delegation';
import type { SessionStore } from '@amplifier/sessions';
import { type Isolation, kindOfChange, type Sandbox } from '@amplifier/workspace';
import { AcpError } from '../acp-error.js';
import { diffsOfPatch } from '../agent/file-diffs.js';
import { attempt } from '../attempt/attempt.js';
import type { AttemptContext, AttemptTarget } from '../attempt/attempt-context.js';
import { type AttemptEnd, costOfTurn, failedBefore } from '../attempt/attempt-end.js';
import { type AskedCall, askedCall } from '../client/asked-call.js';
import type { AskRules } from '../client/rule-call.js';
import { PERMISSION_SECONDS } from '../defaults.js';
import type { CircuitBreaker } from '../fallback/circuit-breaker.js';
import { CANCELLED, runWithFallback } from '../fallback/run-with-fallback.js';
import type { AgentPool } from '../process/agent-pool.js';
import type { FrameJournal } from '../process/frame-journal.js';
import { ENGINE_PREFIX } from '../roster/agent-catalog.js';
import type { Effort } from '../roster/descriptor.js';
import type { Roster } from '../roster/roster.js';
import { acpArtifact, acpOutcome } from './acp-outcome.js';
import { FollowUps } from './follow-ups.js';
import { guardFolder } from './guard-folder.js';
import { keptSession, retell, SessionMemory } from './kept-session.js';
import { TurnLimits } from './turn-limits.js';
import { TurnMirror } from './turn-mirror.js';
import { type TurnTargets, targetLabel, turnTargets } from './turn-targets.js';
import { type AcpWishes, readWishes } from './wishes.js';

export interface AcpTurnOptions {
  store: SessionStore;
  roster: Roster;
  sandbox: Sandbox;
  clock: Clock;
  env: NodeJS.ProcessEnv;
  depth: number;
  pool: AgentPool;
  breaker: CircuitBreaker;
  journal: FrameJournal | null;
  onQuestion: ((question: Question) => void) | null;
  report: Report;
  strictResume: boolean;
  defaultEffort: Effort | null;
  isolation: Isolation | null;
  rules: AskRules | null;
}

/** One turn: its limits, its mail, its attempts and their result. */
export class AcpTurn {
  readonly #launch: LaunchRecord;
  readonly #turn: Turn;
  readonly #stop: StopSwitch;
  readonly #options: AcpTurnOptions;
  readonly #mirror: TurnMirror;
  readonly #followUps: FollowUps;
  readonly #memory: SessionMemory;
  readonly #questions: Questions;
  #chain: string[] = [];

  constructor(turn: Turn, options: AcpTurnOptions) {
    const { launch } = turn;
    this.#launch = launch;
    this.#turn = turn;
    this.#stop = turn.cancellation;
    this.#options = options;
    this.#mirror = new TurnMirror(turn);
    this.#followUps = new FollowUps(turn, this.#mirror, options.report);
    this.#memory = new SessionMemory(turn, this.#mirror, options.clock);
    this.#questions = new Questions({
      log: turn.log,
      clock: options.clock,
      agent: launch.agent.name,
      onQuestion: options.onQuestion ?? (() => {}),
    });
  }

  async run(): Promise<Outcome> {
    const { clock, sandbox, store } = this.#options;
    // A process that died may have been watching some.
    await endLeftObserved(store, this.#turn);
    const planned = this.#plan();
    if (planned instanceof AcpError)
      return this.#conclude(failedBefore(this.#launch.engine, planned), {}, NO_USAGE);
    const { wishes, targets } = planned;
    const timeout = targets.primary.agent.timeout;
    const limits = new TurnLimits(this.#turn, { clock, timeout });
    let spent: Usage = NO_USAGE;
    try {
      if (!(await limits.reserve()))
        return await this.#conclude(failedBefore(this.#launch.engine, null), wishes, NO_USAGE);
      const guard = guardFolder(this.#launch, sandbox);
      // Whoever waits for it hears of it; an attempt that fails before does not.
      guard.catch(() => {});
      const context = this.#context(limits, guard);
      const unheld = await this.#approveUnheld(context, limits);
      const end = unheld ?? (await this.#attempts(targets, context));
      await this.#approveChanges(end, context, limits);
      spent = this.#usageOf(end);
      const changed = await (await guard)?.();
      if (changed) this.#blame(end, changed);
      return await this.#conclude(end, wishes, spent);
    } finally {
      await this.#followUps.close();
      limits.close({ tokens: spent.total_tokens, cost_usd: spent.cost_usd });
    }
  }

  /** What is wished for and who is to do it; an error where that makes no sense. */
  #plan(): { wishes: AcpWishes; targets: TurnTargets } | AcpError {
    try {
      const wishes = readWishes(this.#launch);
      return { wishes, targets: turnTargets(this.#launch, wishes, keptSession(this.#turn), this.#options) };
    } catch (error) {
      if (error instanceof AcpError) return error;
      throw error;
    }
  }

  /** The requested agent, then its alternates, while nothing of the task has run. */
  async #attempts({ primary, modelFallback, alternates }: TurnTargets, context: AttemptContext) {
    const { result, chain } = await runWithFallback<AttemptTarget, AttemptEnd>({
      primary,
      modelFallback,
      alternates,
      safety_mode: this.#launch.safety_mode,
      breaker: this.#options.breaker,
      agentOf: ({ agent }) => `${ENGINE_PREFIX}${agent.id}`,
      labelOf: targetLabel,
      attempt: (target) => attempt(context, target),
      failureOf: ({ error, reexecution }) => {
        const stopped = this.#stop.reason;
        if (stopped) return stopped.kind === 'stall' ? { ...CANCELLED, code: 'STALLED' } : CANCELLED;
        return error && { code: error.code, reexecution };
      },
    });
    this.#chain = chain;
    return result;
  }

  #context(limits: TurnLimits, ready: Promise<unknown>): AttemptContext {
    const { store, onQuestion } = this.#options;
    const { watchdog } = limits;
    return {
      ...this.#options,
      launch: this.#launch,
      turn: this.#turn,
      stop: this.#stop,
      mirror: this.#mirror,
      ready,
      // Mail is read while the agent works, not before.
      told: () => this.#followUps.open(this.#mailHandlers(limits)),
      remember: (session) => this.#memory.remember(session),
      touch: () => watchdog?.touch(),
      toolStarted: (id) => watchdog?.toolStarted(id),
      toolEnded: (id) => watchdog?.toolEnded(id),
      onCost: (amount) => limits.checkCost(amount),
      approves: this.#approves,
      ask: onQuestion ? (prompt, signal, call) => this.#ask(prompt, signal, call) : null,
      more: (answer) => this.#followUps.next(answer),
      retell: () => retell(store, this.#launch.session_id),
    };
  }

  /** Does the person want to be asked before something is changed? Then an agent asks like any tool of ours. */
  get #approves(): boolean {
    const { plan, safety_mode } = this.#launch;
    return (
      safety_mode === 'write' &&
      (plan.hooks ?? []).some((hook) => {
        const spec = moduleSpec(hook);
        // One that is there for the user's rules alone asks about nothing else.
        return spec?.module === 'hooks-approval' && spec.id !== 'hooks-approval:rules';
      })
    );
  }

  /** An agent that no sandbox holds, or that changes the folder itself, acts without a word: whoever approves changes approves it as a whole. */
  async #approveUnheld(context: AttemptContext, limits: TurnLimits): Promise<AttemptEnd | null> {
    const { sandbox } = this.#options;
    const { engine, workspace } = this.#launch;
    const direct = workspace.direct === true && this.#turn.number === 1;
    if (!this.#approves || (sandbox.guarantees.writes_confined && !direct)) return null;
    this.#followUps.open(this.#mailHandlers(limits));
    const prompt = sandbox.guarantees.writes_confined
      ? `Let ${engine} change files in ${workspace.cwd} directly?\nWhat it changes there is not brought back as a whole, and nobody is asked again.`
      : `Run ${engine} without a sandbox?\nNothing but its own manners would keep it from changing files and running commands: ${sandbox.because}`;
    if (await this.#approved(prompt, context)) return null;
    const what = sandbox.guarantees.writes_confined ? 'change the folder directly' : 'run without a sandbox';
    const message = `Nobody allowed ${engine} to ${what}. Allow it, or use read_only mode.`;
    return failedBefore(engine, new AcpError(message, { code: 'ACP_DENIED', origin: engine }));
  }

  /** What the agent did in its tree reaches the folder only when the person who approves changes says so. */
  async #approveChanges(end: AttemptEnd, context: AttemptContext, limits: TurnLimits): Promise<void> {
    const { isolation } = this.#options;
    if (!this.#approves || !isolation || end.error !== null || this.#stop.reason) return;
    const patch = await isolation.patch();
    const { changes } = patch;
    if (changes.length === 0) return;
    const { diff, target } = patchArtifact(patch);
    const content = diffsOfPatch(String(diff ?? ''), String(target));
    const call = askedCall(
      { toolCallId: `apply-${this.#launch.session_id}`, kind: 'edit', content },
      (path) => path,
    );
    const { display_name, id } = end.agent;
    const named = changes.slice(0, CHANGES_TOLD).map((change) => `${kindOfChange(change)} ${change.path}`);
    const more = changes.length > CHANGES_TOLD ? [`and ${changes.length - CHANGES_TOLD} more`] : [];
    this.#followUps.open(this.#mailHandlers(limits));
    const prompt = [`Apply what ${display_name} changed?`, ...named, ...more].join('\n');
    if (await this.#approved(prompt, context, call)) return;
    const message = `${display_name} is done, and its changes were not approved, so nothing was applied. They are kept as a patch.`;
    end.error = new AcpError(message, { code: 'ACP_DENIED', origin: id });
  }

  /** Asks the person; without one it is a no. */
  async #approved(
    prompt: string,
    { ask, toolStarted, toolEnded }: AttemptContext,
    call?: AskedCall,
  ): Promise<boolean> {
    const stopped = new AbortController();
    const unlisten = this.#stop.token.onRequest(() => stopped.abort());
    toolStarted('approval');
    try {
      const allowed = ask !== null && (await ask(prompt, stopped.signal, call));
      this.#mirror.note(allowed ? 'approval:granted' : 'approval:denied', { prompt, kind: 'edit' });
      return allowed;
    } finally {
      toolEnded('approval');
      unlisten();
    }
  }

  async #ask(prompt: string, signal: AbortSignal, call?: AskedCall): Promise<boolean> {
    const options = ['allow', 'deny'];
    const answer = await this.#questions
      .ask({ kind: 'approval', prompt, options, subject: call ?? null }, PERMISSION_SECONDS, signal)
      .catch(() => 'deny');
    return isAcceptance(answer);
  }

  #mailHandlers({ watchdog }: TurnLimits): MailHandlers {
    return {
      onCancel: ({ from, body }) =>
        this.#stop.stop(
          { kind: 'cancel', by: from ?? 'user' },
          body.level === 'graceful' ? 'graceful' : 'immediate',
        ),
      onAnswer: (item) => this.#questions.onAnswer(item),
      onMessage: async () => watchdog?.touch(),
    };
  }

  #usageOf({ usage, session_cost, agent_session_id }: AttemptEnd): Usage {
    const kept = keptSession(this.#turn);
    // Another session of the agent counts from nothing.
    const before = kept?.id === agent_session_id ? kept.cost : null;
    const cost = costOfTurn(before, session_cost);
    return addUsage(usage, { ...NO_USAGE, cost_usd: cost });
  }

  #blame(end: AttemptEnd, message: string): void {
    end.error = new AcpError(message, { code: 'READONLY_VIOLATED', origin: end.agent.id });
    end.reexecution = 'side_effected';
  }

  /** What is left to write is written at once, and the outcome after it: whoever keeps the outcome keeps all of it. */
  async #conclude(end: AttemptEnd, wishes: AcpWishes, usage: Usage): Promise<Outcome> {
    const stopped = this.#stop.reason;
    const finished = end.error === null && stopped === null;
    this.#memory.settle(end.session_cost);
    if (end.prompts > 0) {
      const { agent, model, stop_reason: finish_reason } = end;
      this.#mirror.note('llm:response', {
        provider: `${ENGINE_PREFIX}${agent.id}`,
        model,
        usage,
        finish_reason,
      });
    }
    this.#mirror.concluded(end.text, finished);
    this.#mirror.check();
    if (end.unfinished_calls > 0) {
      await this.#mirror.flush();
      await this.#turn.log.repairToolCalls('The agent’s turn ended before this call had a result.');
    }
    const artifact: JsonObject = acpArtifact(end, {
      fallback_chain: this.#chain,
      requested_model: wishes.model ?? null,
      effort: wishes.effort ?? null,
      sandbox: this.#options.sandbox.name,
      failed: !finished,
    });
    return acpOutcome({
      launch: this.#launch,
      end,
      stopped,
      usage: addUsage(this.#turn.carried, usage),
      structured: finished ? this.#followUps.structured : {},
      artifacts: [artifact],
      warnings: [...this.#turn.warnings, ...end.warnings, ...refusals(end)],
    });
  }
}

const CHANGES_TOLD = 20;
const REFUSALS_TOLD = 10;

/** What the agent wanted and did not get: an answer that says nothing of it would pass for the whole. */
function refusals({ refused }: AttemptEnd): string[] {
  if (refused.length === 0) return [];
  const more = refused.length > REFUSALS_TOLD ? `; and ${refused.length - REFUSALS_TOLD} more` : '';
  return [`The agent was refused: ${refused.slice(0, REFUSALS_TOLD).join('; ')}${more}.`];
}
