import type { McpServer } from '@agentclientprotocol/sdk';
import {
  addUsage,
  type Clock,
  isAcceptance,
  isPlainObject,
  type JsonObject,
  NO_USAGE,
  textOf,
  type Usage,
} from '@amplifier/core';
import {
  type LaunchRecord,
  type Outcome,
  type Question,
  Questions,
  readStructuredAnswer,
  repairPrompt,
  SessionMail,
  type StopSwitch,
  type Turn,
  Watchdog,
} from '@amplifier/delegation';
import type { SessionStore } from '@amplifier/sessions';
import { requiresTrust, type Sandbox } from '@amplifier/workspace';
import { AcpError } from '../acp-error.js';
import { PERMISSION_SECONDS } from '../defaults.js';
import type { AgentPool } from '../process/agent-pool.js';
import { ENGINE_PREFIX, splitTarget } from '../roster/agent-catalog.js';
import { AgentDescriptor, type Effort } from '../roster/descriptor.js';
import type { Roster } from '../roster/roster.js';
import { acpArtifact, acpOutcome } from './acp-outcome.js';
import type { AgentBench } from './agent-bench.js';
import {
  type AttemptContext,
  type AttemptEnd,
  type AttemptTarget,
  attempt,
  blankEnd,
  costOfTurn,
} from './attempt.js';
import { changedPaths, fingerprintTree } from './fingerprint-tree.js';
import { retell } from './retell.js';
import { TurnMirror } from './turn-mirror.js';
import { type AcpWishes, readWishes } from './wishes.js';

export interface AcpTurnOptions {
  store: SessionStore;
  roster: Roster;
  sandbox: Sandbox;
  clock: Clock;
  env: NodeJS.ProcessEnv;
  depth: number;
  pool: AgentPool;
  bench: AgentBench;
  onQuestion: ((question: Question) => void) | null;
  strictResume: boolean;
  defaultEffort: Effort | null;
  visible: readonly string[];
}

/** One turn: its limits and its mail, the attempts it takes, and what they came to. */
export class AcpTurn {
  #launch: LaunchRecord;
  #turn: Turn;
  #stop: StopSwitch;
  #options: AcpTurnOptions;
  #mirror: TurnMirror;
  #mail: SessionMail;
  #questions: Questions;
  #watchdog: Watchdog | null = null;
  #structured: { data?: unknown; mismatch?: string } = {};
  #schemaTries = 0;
  #chain: string[] = [];

  constructor(launch: LaunchRecord, turn: Turn, stop: StopSwitch, options: AcpTurnOptions) {
    this.#launch = launch;
    this.#turn = turn;
    this.#stop = stop;
    this.#options = options;
    this.#mirror = new TurnMirror(launch, turn);
    this.#mail = new SessionMail(turn.log);
    this.#questions = new Questions({
      log: turn.log,
      clock: options.clock,
      agent: launch.agent.name,
      onQuestion: options.onQuestion ?? (() => {}),
    });
  }

  async run(): Promise<Outcome> {
    const wishes = readWishesOf(this.#launch);
    if (wishes instanceof AcpError)
      return this.#conclude(failedBefore(this.#launch.engine, wishes), {}, NO_USAGE);
    const reservation = await this.#reserve();
    if (reservation === null)
      return this.#conclude(failedBefore(this.#launch.engine, null), wishes, NO_USAGE);
    const cleanups = this.#watch();
    await this.#openMail();
    let spent: Usage = NO_USAGE;
    try {
      const before = await this.#lookBefore();
      const end = await this.#attempts(wishes);
      spent = await this.#book(end);
      await this.#lookAfter(before, end);
      return await this.#conclude(end, wishes, spent);
    } finally {
      for (const cleanup of cleanups) cleanup();
      await this.#mail.close();
      reservation.settle({ tokens: spent.total_tokens, cost_usd: spent.cost_usd });
    }
  }

  /** The agent that was asked for, then those to fall back on, while nothing of the task has run. */
  async #attempts(wishes: AcpWishes): Promise<AttemptEnd> {
    const { bench } = this.#options;
    const known = this.#targets(wishes);
    if (known instanceof AcpError) return failedBefore(this.#launch.engine, known);
    let primary: AttemptEnd | null = null;
    for (const [index, target] of known.entries()) {
      const label = target.model === null ? target.agent.id : `${target.agent.id}:${target.model}`;
      if (index > 0 && bench.isBenched(target.agent.id)) {
        this.#chain.push(`${label} (benched)`);
        continue;
      }
      const end = await attempt(this.#context(), target);
      this.#noteBench(end);
      primary ??= end;
      if (end.error === null || end.reexecution !== 'safe' || this.#stop.reason) return end;
      if (isModelFallback(known[index + 1], target) && end.error.code !== 'MODEL_UNAVAILABLE')
        known.splice(index + 1, 1);
      this.#chain.push(label);
    }
    return primary ?? failedBefore(this.#launch.engine, null);
  }

  /** A turn that somebody cancelled speaks neither for the agent nor against it. */
  #noteBench({ agent, error }: AttemptEnd): void {
    const { bench } = this.#options;
    const stopped = this.#stop.reason;
    if (error || !stopped) bench.note(agent.id, error?.code ?? null);
    else if (stopped.kind === 'stall') bench.note(agent.id, 'STALLED');
  }

  #targets(wishes: AcpWishes): AttemptTarget[] | AcpError {
    const { roster, defaultEffort } = this.#options;
    const { safety_mode, engine } = this.#launch;
    const kept = keptSession(this.#turn);
    try {
      const named = engine.slice(ENGINE_PREFIX.length);
      const agent = roster.get(kept && roster.has(kept.agent) ? kept.agent : named);
      const effort = wishes.effort ?? agent.default_effort ?? defaultEffort;
      const mcp_servers = (wishes.mcp_servers ?? []) as unknown as McpServer[];
      const shared = { effort, mcp_servers, earlier: null };
      const model = wishes.model ?? agent.default_model;
      const first = { ...shared, agent, model, softModel: wishes.model == null, earlier: kept?.id ?? null };
      if (requiresTrust(safety_mode)) return [first];
      const again =
        wishes.allow_model_fallback !== false &&
        agent.fallback_model !== null &&
        agent.fallback_model !== model
          ? [{ ...first, model: agent.fallback_model, softModel: false }]
          : [];
      const others = (wishes.fallback ?? []).map((wish) => {
        const { id, model: tail } = splitTarget(typeof wish === 'string' ? wish : wish.cli, roster);
        const other = roster.get(id);
        const own = (typeof wish === 'string' ? tail : (wish.model ?? tail)) ?? other.default_model;
        return { ...shared, agent: other, model: own, softModel: false };
      });
      return [first, ...again, ...others];
    } catch (error) {
      if (error instanceof AcpError) return error;
      throw error;
    }
  }

  #context(): AttemptContext {
    const { store, sandbox, clock, env, depth, pool, onQuestion, strictResume, visible } = this.#options;
    return {
      launch: this.#launch,
      turn: this.#turn,
      stop: this.#stop,
      clock,
      sandbox,
      pool,
      env,
      depth,
      mirror: this.#mirror,
      visible,
      touch: () => this.#watchdog?.touch(),
      toolStarted: (id) => this.#watchdog?.toolStarted(id),
      toolEnded: (id) => this.#watchdog?.toolEnded(id),
      onCost: (amount) => this.#checkCost(amount),
      ask: onQuestion ? (prompt, signal) => this.#ask(prompt, signal) : null,
      more: (answer) => this.#more(answer),
      retell: () => retell(store, this.#launch.session_id),
      strictResume,
    };
  }

  /** What came in for the session while the agent worked goes next; then an answer of the wrong form is asked for again. */
  async #more(answer: string): Promise<string | null> {
    const messages = await this.#mail.take();
    if (messages.length > 0) {
      this.#mirror.concluded(answer, true);
      await this.#mirror.flush();
      for (const message of messages) {
        const letter = this.#mail.letterOf(message);
        const { role, content, metadata = {} } = message;
        if (letter) await this.#turn.log.deliver(letter, { message: { role, content, metadata } });
      }
      return messages.map(({ content }) => textOf(content)).join('\n\n');
    }
    const { output_schema: schema } = this.#launch;
    if (!schema) return null;
    const reading = readStructuredAnswer(answer, schema);
    this.#structured = 'fault' in reading ? { mismatch: reading.fault } : { data: reading.data };
    return 'fault' in reading && this.#schemaTries++ === 0 ? repairPrompt(reading.fault, schema) : null;
  }

  async #ask(prompt: string, signal: AbortSignal): Promise<boolean> {
    const options = ['allow', 'deny'];
    const answer = await this.#questions
      .ask({ kind: 'approval', prompt, options }, PERMISSION_SECONDS, signal)
      .catch(() => 'deny');
    return isAcceptance(answer);
  }

  #watch(): (() => void)[] {
    const { clock } = this.#options;
    const { timeout, stall } = this.#launch.limits;
    const cleanups: (() => void)[] = [];
    if (timeout !== null) {
      const message = `The agent was not done after ${timeout} s. Raise 'timeout', or resume the session to let it go on.`;
      cleanups.push(
        clock.after(timeout * 1000, () =>
          this.#stop.stop({ kind: 'limit', limit: 'time', message }, 'immediate'),
        ),
      );
    }
    if (stall !== null) {
      const message = `The agent said nothing for ${stall} s while no tool of it ran. Resume the session to try again.`;
      const watchdog = new Watchdog(clock, stall, () =>
        this.#stop.stop({ kind: 'stall', message }, 'immediate'),
      );
      this.#watchdog = watchdog;
      cleanups.push(() => watchdog.stop());
    }
    return cleanups;
  }

  #openMail(): Promise<void> {
    return this.#mail.open(this.#turn.number, {
      onCancel: ({ from, body }) =>
        this.#stop.stop(
          { kind: 'cancel', by: from ?? 'user' },
          body.level === 'graceful' ? 'graceful' : 'immediate',
        ),
      onAnswer: (letter) => this.#questions.onAnswer(letter),
      onMessage: async () => this.#watchdog?.touch(),
    });
  }

  /** Nobody knows what a turn will cost, so where there is a budget it runs alone and holds all that is left. */
  async #reserve(): Promise<{ settle(spent: { tokens: number; cost_usd: string | null }): void } | null> {
    const { budget } = this.#turn;
    if (budget.isUnlimited) return { settle: () => {} };
    const { tokens } = budget.remaining;
    const answer = await budget.reserve(
      { tokens: tokens === 0 ? 1 : (tokens ?? 0), cost_usd: null },
      this.#stop.token.signal,
    );
    if (!('refused' in answer)) return answer;
    const message = `Nothing is left of the ${answer.refused} budget. Raise it, or do the work here.`;
    this.#stop.stop({ kind: 'limit', limit: answer.refused, message }, 'immediate');
    return null;
  }

  #checkCost(amount: number): void {
    const left = this.#turn.budget.remaining.cost_usd;
    const spent = costOfTurn(keptSession(this.#turn)?.cost ?? null, amount);
    if (left === null || spent === null || Number(spent) <= Number(left)) return;
    const message = `The agent has spent ${spent} USD, and ${left} USD were left.`;
    this.#stop.stop({ kind: 'limit', limit: 'cost', message }, 'immediate');
  }

  /** The usage of the turn as a fact of the log. */
  async #book(end: AttemptEnd): Promise<Usage> {
    const kept = keptSession(this.#turn);
    const cost = costOfTurn(kept?.cost ?? null, end.session_cost);
    const usage = addUsage(end.usage, { ...NO_USAGE, cost_usd: cost });
    if (end.prompts === 0) return usage;
    const provider = `${ENGINE_PREFIX}${end.agent.id}`;
    this.#mirror.note('llm:response', { provider, model: end.model, usage, finish_reason: end.stop_reason });
    if (kept && end.session_cost !== null)
      await this.#turn.log.update({ extra: { acp_session: { ...kept, cost: end.session_cost } } });
    return usage;
  }

  async #lookBefore() {
    const { sandbox } = this.#options;
    const { safety_mode, workspace } = this.#launch;
    if (safety_mode !== 'read_only' || sandbox.guarantees.writes_confined) return null;
    return fingerprintTree(workspace.cwd);
  }

  /** Without a sandbox, what may only read is looked after. */
  async #lookAfter(before: Awaited<ReturnType<typeof fingerprintTree>>, end: AttemptEnd): Promise<void> {
    if (before === null) return;
    const after = await fingerprintTree(this.#launch.workspace.cwd);
    const changed = after ? changedPaths(before, after) : [];
    if (changed.length === 0) return;
    const list =
      changed.slice(0, 10).join(', ') + (changed.length > 10 ? ` and ${changed.length - 10} more` : '');
    end.error = new AcpError(`The agent may only read, and while it ran these changed: ${list}.`, {
      code: 'READONLY_VIOLATED',
      origin: end.agent.id,
    });
    end.reexecution = 'side_effected';
  }

  async #conclude(end: AttemptEnd, wishes: AcpWishes, usage: Usage): Promise<Outcome> {
    const stopped = this.#stop.reason;
    const finished = end.error === null && stopped === null;
    this.#mirror.concluded(end.text, finished);
    await this.#mirror.flush();
    if (end.unfinished_calls > 0)
      await this.#turn.log.repairToolCalls('The agent’s turn ended before this call had a result.');
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
      structured: finished ? this.#structured : {},
      artifacts: [artifact],
      warnings: [...this.#turn.warnings, ...end.warnings],
    });
  }
}

interface KeptSession {
  id: string;
  agent: string;
  cwd: string;
  /** Can a later turn go on with it? */
  keeps: boolean;
  cost: number | null;
}

/** The agent's own session of an earlier turn of this session. */
function keptSession({ log }: Turn): KeptSession | null {
  const kept = log.metadata.extra.acp_session;
  if (!isPlainObject(kept) || typeof kept.id !== 'string' || typeof kept.agent !== 'string') return null;
  const cost = typeof kept.cost === 'number' ? kept.cost : null;
  return { id: kept.id, agent: kept.agent, cwd: String(kept.cwd), keeps: kept.keeps !== false, cost };
}

function isModelFallback(next: AttemptTarget | undefined, target: AttemptTarget): boolean {
  return next !== undefined && next.agent.id === target.agent.id && next.earlier === target.earlier;
}

function readWishesOf(launch: LaunchRecord): AcpWishes | AcpError {
  try {
    return readWishes(launch);
  } catch (error) {
    if (error instanceof AcpError) return error;
    throw error;
  }
}

/** The end of a turn that never got as far as an agent. */
export function failedBefore(engine: string, error: AcpError | null): AttemptEnd {
  const id = engine.slice(ENGINE_PREFIX.length) || 'agent';
  const name = id.replace(/[^A-Za-z0-9_-]/g, '_');
  const agent = AgentDescriptor.parse({ id: name, display_name: id, command: [id] });
  return { ...blankEnd(agent, 'none'), error };
}
