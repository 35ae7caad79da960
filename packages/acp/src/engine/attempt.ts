import type { McpServer, PromptResponse } from '@agentclientprotocol/sdk';
import {
  AbortError,
  addDecimals,
  addUsage,
  type Clock,
  errorInfo,
  type JsonObject,
  NO_USAGE,
  type Usage,
} from '@amplifier/core';
import type { LaunchRecord, StopSwitch, Turn } from '@amplifier/delegation';
import { type Grant, realGrant, type Sandbox } from '@amplifier/workspace';
import { AcpError } from '../acp-error.js';
import { TurnClient } from '../client/turn-client.js';
import { CANCEL_GRACE_MS } from '../defaults.js';
import type { ReexecutionSafety } from '../error-codes.js';
import type { AgentPool } from '../process/agent-pool.js';
import type { AgentProcess } from '../process/agent-process.js';
import { prepareLaunch } from '../process/prepare-launch.js';
import type { AgentDescriptor, Effort } from '../roster/descriptor.js';
import type { AgentSession } from '../session/agent-session.js';
import { describe, openSession } from '../session/open-session.js';
import { judgeAnswer } from './judge-answer.js';
import { readUsage } from './read-usage.js';
import { stripReplay } from './strip-replay.js';
import { TurnFold } from './turn-fold.js';
import type { TurnMirror } from './turn-mirror.js';

/** What every attempt of a turn has in common. */
export interface AttemptContext {
  launch: LaunchRecord;
  turn: Turn;
  stop: StopSwitch;
  clock: Clock;
  sandbox: Sandbox;
  pool: AgentPool;
  env: NodeJS.ProcessEnv;
  depth: number;
  mirror: TurnMirror;
  visible: readonly string[];
  /** Any sign of life. */
  touch: () => void;
  toolStarted: (id: string) => void;
  toolEnded: (id: string) => void;
  onCost: (amount: number) => void;
  ask: ((prompt: string, signal: AbortSignal) => Promise<boolean>) | null;
  /** More to say, once the agent has answered; null when there is nothing. */
  more: (answer: string) => Promise<string | null>;
  /** The conversation so far, for an agent that does not know it. */
  retell: () => Promise<{ text: string; answers: string[] }>;
  /** Fail rather than tell the conversation again. */
  strictResume: boolean;
}

export interface AttemptTarget {
  agent: AgentDescriptor;
  model: string | null;
  /** Only a wish: an agent without this model goes on with its own. */
  softModel: boolean;
  effort: Effort | null;
  mcp_servers: readonly McpServer[];
  /** The agent's id of the session to go on with. */
  earlier: string | null;
}

/** Everything known when an attempt is over. */
export interface AttemptEnd {
  agent: AgentDescriptor;
  error: AcpError | null;
  stop_reason: string | null;
  text: string;
  usage: Usage;
  /** Cumulative in the agent's session, in US dollars. */
  session_cost: number | null;
  model: string | null;
  model_confirmed: boolean;
  effort_applied: string | null;
  agent_session_id: string | null;
  opened: 'new' | 'resumed' | 'loaded' | null;
  agent_version: string | null;
  refused: string[];
  reexecution: ReexecutionSafety;
  prompts: number;
  /** Tool calls that had no end when the turn had one. */
  unfinished_calls: number;
  warnings: string[];
  stderr: string;
}

/** One try to have one agent do the turn, from spawn to answer. Never throws for what the agent did. Leaves nothing running. */
export async function attempt(context: AttemptContext, target: AttemptTarget): Promise<AttemptEnd> {
  return new Attempt(context, target).run();
}

class Attempt {
  #context: AttemptContext;
  #target: AttemptTarget;
  /** Aborts as soon as the turn is to stop: nobody waits for a person any longer. */
  #halt = new AbortController();
  /** Aborts a little later: nobody waits for the agent any longer. */
  #abandon = new AbortController();
  #fold: TurnFold;
  #updates = 0;
  #listening: string | null = null;
  #effects = false;
  #end: AttemptEnd;
  #grant!: Grant;

  constructor(context: AttemptContext, target: AttemptTarget) {
    const { mirror, toolStarted, toolEnded, onCost } = context;
    this.#context = context;
    this.#target = target;
    this.#fold = new TurnFold({
      onText: (text) => mirror.text(text),
      onThought: (text) => mirror.thought(text),
      onToolStart: (call, said) => {
        toolStarted(call.id);
        mirror.toolStarted(call, said);
      },
      onToolEnd: (call) => {
        toolEnded(call.id);
        mirror.toolEnded(call);
      },
      onPlan: (entries) => mirror.emit('acp:plan', { entries }),
      onCost,
    });
    this.#end = blankEnd(target.agent, 'safe');
  }

  async run(): Promise<AttemptEnd> {
    const unlisten = this.#listenToStop();
    try {
      await this.#runInProcess();
    } catch (error) {
      if (!this.#halt.signal.aborted) this.#end.error = this.#asError(error);
    } finally {
      unlisten();
    }
    this.#end.text = this.#end.text || this.#fold.text;
    this.#end.session_cost = this.#fold.cost;
    this.#end.unfinished_calls = this.#fold.toolCalls.filter(({ status }) => status === 'running').length;
    this.#end.reexecution = this.#safety();
    return this.#end;
  }

  async #runInProcess(): Promise<void> {
    const { launch, env, sandbox, depth, pool, visible, clock } = this.#context;
    const { agent, model, effort } = this.#target;
    this.#grant = await realGrant(launch.grant);
    const prepared = await prepareLaunch(agent, launch, { model, effort, env, sandbox, depth, visible });
    const process = await pool.acquire(prepared.process, this.#halt.signal);
    const client = new TurnClient({
      safety_mode: launch.safety_mode,
      grant: this.#grant,
      confined: sandbox.guarantees.writes_confined,
      cwd: launch.workspace.cwd,
      sandbox,
      clock,
      ask: this.#context.ask,
      signal: this.#halt.signal,
      onUpdate: (id, update) => this.#hear(id, update),
      onRequest: (asked) => this.#asked(asked),
      onEffect: () => {
        this.#effects = true;
      },
    });
    process.serve(client);
    let fit = false;
    try {
      this.#end.warnings.push(...process.missing);
      this.#end.agent_version = process.initialized.agentInfo?.version ?? null;
      const session = await this.#open(process);
      await this.#choose(session, prepared);
      await this.#talk(session);
      fit = !this.#halt.signal.aborted;
      // Nobody waits for it: an agent that is kept may forget the session while it takes the next one.
      if (fit) void session.close();
    } finally {
      await client.close();
      this.#end.stderr = process.stderr.text;
      if (this.#abandon.signal.aborted) await process.kill();
      await pool.release(process, fit);
    }
  }

  async #open(process: AgentProcess): Promise<AgentSession> {
    const { launch, clock, strictResume } = this.#context;
    const { session, how, lost } = await openSession(process, {
      cwd: launch.workspace.cwd,
      mcp_servers: this.#target.mcp_servers,
      earlier: this.#target.earlier,
      clock,
      signal: this.#halt.signal,
      updates: () => this.#updates,
    });
    this.#end.opened = how;
    this.#end.agent_session_id = session.id;
    if (lost !== null && strictResume) {
      throw new AcpError(`${lost} Start a new session instead.`, {
        code: 'RESUME_FAILED',
        origin: this.#target.agent.id,
      });
    }
    if (lost !== null) this.#end.warnings.push(`${lost} It was told the conversation again.`);
    return session;
  }

  async #choose(session: AgentSession, prepared: Awaited<ReturnType<typeof prepareLaunch>>): Promise<void> {
    const { agent, softModel } = this.#target;
    const end = this.#end;
    end.model = prepared.applied.model;
    end.effort_applied = prepared.applied.effort;
    const mode = agent.levers[this.#context.launch.safety_mode]?.mode;
    if (mode !== undefined) await this.#chooseMode(session, mode);
    if (prepared.model !== null) {
      try {
        end.model = await session.chooseModel(prepared.model);
        end.model_confirmed = true;
      } catch (error) {
        const missing = error instanceof AcpError && error.code === 'MODEL_UNAVAILABLE';
        if (!softModel || !missing) throw error;
        end.warnings.push(errorInfo(error).message);
      }
    }
    end.model ??= session.choices.model?.current ?? null;
    if (prepared.effort !== null) {
      end.effort_applied = await session.chooseEffort(prepared.effort);
      if (end.effort_applied === null)
        end.warnings.push(`${agent.display_name} cannot be told how hard to think; 'effort' had no effect.`);
    }
  }

  /** The agent's own mode is a help, and not what the safety mode rests on: without it the turn goes on. */
  async #chooseMode(session: AgentSession, mode: string): Promise<void> {
    const { display_name } = this.#target.agent;
    try {
      const chosen = await session.chooseMode(mode);
      if (!chosen) this.#end.warnings.push(`${display_name} has no mode '${mode}'.`);
    } catch (error) {
      if (error instanceof AcpError) throw error;
      this.#end.warnings.push(`${display_name} did not take the mode '${mode}': ${describe(error)}.`);
    }
  }

  async #talk(session: AgentSession): Promise<void> {
    const { turn, launch, mirror, retell, more } = this.#context;
    const told =
      this.#target.earlier !== null || turn.number > 1 ? await retell() : { text: '', answers: [] };
    // Beside the prompt, not before it: should we die in between, the conversation is told again.
    const acp_session = {
      id: session.id,
      agent: this.#target.agent.id,
      cwd: launch.workspace.cwd,
      keeps: session.isKept,
    };
    mirror.keep(turn.log.update({ extra: { acp_session } }));
    const knows = this.#end.opened !== 'new';
    const opening = [knows ? '' : (launch.agent.instruction ?? ''), knows ? '' : told.text, turn.prompt];
    let text: string | null = opening.filter((part) => part !== '').join('\n\n---\n\n');
    while (text !== null && !this.#halt.signal.aborted) {
      const response = await this.#prompt(session, text);
      this.#take(response, knows ? told.answers : []);
      text = this.#end.error === null && !this.#halt.signal.aborted ? await more(this.#end.text) : null;
    }
  }

  async #prompt(session: AgentSession, text: string): Promise<PromptResponse | null> {
    this.#listening = session.id;
    this.#fold.begin();
    this.#end.prompts++;
    const cancel = () => {
      void session.cancel();
      const stopWaiting = this.#context.clock.after(CANCEL_GRACE_MS, () => this.#abandon.abort());
      this.#abandon.signal.addEventListener('abort', stopWaiting, { once: true });
    };
    this.#halt.signal.addEventListener('abort', cancel, { once: true });
    if (this.#halt.signal.aborted) cancel();
    try {
      const prompt = [{ type: 'text', text }];
      const params: JsonObject = { sessionId: session.id, prompt };
      return await session.process.request<PromptResponse>('session/prompt', params, this.#abandon.signal);
    } catch (error) {
      if (this.#abandon.signal.aborted) return null;
      throw error;
    } finally {
      this.#halt.signal.removeEventListener('abort', cancel);
    }
  }

  /** What a finished prompt means. A stop reason other than a plain end is never an answer. */
  #take(response: PromptResponse | null, earlier: readonly string[]): void {
    if (response === null) return;
    const end = this.#end;
    const { agent } = this.#target;
    end.stop_reason = typeof response.stopReason === 'string' ? response.stopReason : null;
    end.text = stripReplay(this.#fold.text, earlier);
    const tokens = readUsage(response, this.#fold.lastMeta);
    if (tokens) end.usage = addUsage(end.usage, { ...tokens, cost_usd: null });
    end.error = judgeAnswer({
      agent,
      stop_reason: end.stop_reason,
      text: end.text,
      endsWithText: this.#fold.endsWithText,
      refused: end.refused,
      stopped: this.#halt.signal.aborted,
    });
  }

  #hear(sessionId: string, update: JsonObject): void {
    this.#updates++;
    this.#context.touch();
    if (sessionId === this.#listening) this.#fold.take(update);
  }

  #asked({ id, kind, title, allowed, because }: Asked): void {
    const { mirror, touch } = this.#context;
    touch();
    this.#fold.announce({ toolCallId: id, title, kind });
    mirror.note(allowed ? 'approval:granted' : 'approval:denied', { prompt: title, kind, reason: because });
    if (allowed) return;
    this.#end.refused.push(`${title} (${because})`);
    // Not every agent says so itself, and a call that seems to run keeps the watchdog quiet.
    this.#fold.take({
      sessionUpdate: 'tool_call_update',
      toolCallId: id,
      status: 'failed',
      rawOutput: because,
    });
  }

  #listenToStop(): () => void {
    const { token } = this.#context.stop;
    if (token.isCancelled) this.#halt.abort();
    return token.onRequest(() => this.#halt.abort());
  }

  #asError(error: unknown): AcpError {
    if (error instanceof AcpError) return error;
    if (error instanceof AbortError) return new AcpError('The turn was stopped.', { code: 'ACP_TURN_ERROR' });
    const { agent } = this.#target;
    const code = this.#end.prompts > 0 ? 'ACP_TURN_ERROR' : 'ACP_HANDSHAKE_FAILED';
    return new AcpError(`${agent.display_name} failed: ${describe(error)}`, {
      code,
      origin: agent.id,
      cause: error,
    });
  }

  #safety(): ReexecutionSafety {
    if (this.#end.prompts === 0) return 'safe';
    if (this.#effects) return 'side_effected';
    if (this.#fold.acted) return 'ambiguous';
    return this.#end.error?.code === 'ACP_TURN_ERROR' ? 'ambiguous' : 'duplicate_cost';
  }
}

interface Asked {
  id: string;
  kind: string;
  title: string;
  allowed: boolean;
  because: string;
}

/** What a turn cost, from what the agent's whole session has cost before and after. */
export function costOfTurn(before: number | null, after: number | null): string | null {
  if (after === null) return null;
  // An agent that begins to count anew has a lower total than before.
  const spent = before !== null && after >= before ? after - before : after;
  return addDecimals(spent.toFixed(6), '0');
}

/** The end of an attempt of which nothing is known yet. */
export function blankEnd(agent: AgentDescriptor, reexecution: AttemptEnd['reexecution']): AttemptEnd {
  return {
    agent,
    error: null,
    stop_reason: null,
    text: '',
    usage: NO_USAGE,
    session_cost: null,
    model: null,
    model_confirmed: false,
    effort_applied: null,
    agent_session_id: null,
    opened: null,
    agent_version: null,
    refused: [],
    reexecution,
    prompts: 0,
    unfinished_calls: 0,
    warnings: [],
    stderr: '',
  };
}
