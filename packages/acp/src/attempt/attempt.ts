import { resolve } from 'node:path';
import type { McpServer, PromptResponse } from '@agentclientprotocol/sdk';
import { AbortError, addUsage, type JsonObject, keepSecrets, shorten } from '@amplifier/core';
import { AcpError } from '../acp-error.js';
import { TurnClient } from '../client/turn-client.js';
import { CANCEL_GRACE_MS } from '../defaults.js';
import type { ReexecutionSafety } from '../error-codes.js';
import type { AgentProcess } from '../process/agent-process.js';
import { planLaunch } from '../process/plan-launch.js';
import { leverFor } from '../roster/descriptor.js';
import type { AgentSession } from '../session/agent-session.js';
import { describe } from '../session/describe-failure.js';
import { loginRequired } from '../session/login-required.js';
import { openSession } from '../session/open-session.js';
import { AnnouncedAgents } from './announced-agents.js';
import { attachedBlocks } from './attached-blocks.js';
import type { AttemptContext, AttemptTarget } from './attempt-context.js';
import { type AttemptEnd, blankEnd } from './attempt-end.js';
import { chooseInSession } from './choose-in-session.js';
import { type ErrorAnswers, errorAnswersOf, judgeAnswer } from './judge-answer.js';
import { readUsage } from './read-usage.js';
import { type AgentToolCall, TurnFold } from './turn-fold.js';
import { placeNote, shownPath } from './user-tree.js';

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
  #announced: AnnouncedAgents;
  #errorAnswers: ErrorAnswers = [];
  #end: AttemptEnd;

  constructor(context: AttemptContext, target: AttemptTarget) {
    const { mirror, toolStarted, toolEnded, onCost } = context;
    this.#context = context;
    this.#target = target;
    this.#fold = new TurnFold(
      {
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
      },
      context.store.answersFolder(context.launch.session_id),
    );
    this.#announced = new AnnouncedAgents(context.store, context.turn);
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
    await this.#announced.close(this.#halt.signal.aborted);
    this.#end.text = this.#end.text || this.#fold.text;
    this.#end.session_cost = this.#fold.cost;
    this.#end.unfinished_calls = this.#fold.toolCalls.filter(({ status }) => status === 'running').length;
    if (this.#end.refused.length === 0) this.#end.warnings.push(...failedCalls(this.#fold.toolCalls));
    this.#end.reexecution = this.#safety();
    return this.#end;
  }

  async #runInProcess(): Promise<void> {
    const { launch, env, sandbox, depth, pool, isolation, journal } = this.#context;
    const { agent, model, effort } = this.#target;
    this.#errorAnswers = await errorAnswersOf(agent);
    const plan = planLaunch(agent, launch, { model, effort, env, sandbox, depth, isolation });
    this.#context.mirror.emit('acp:step', { step: 'starting' });
    const process = await pool.acquire(plan, this.#halt.signal);
    const client = this.#clientOf(process);
    process.serve(client, journal);
    let fit = false;
    try {
      this.#end.warnings.push(...process.missing);
      this.#end.agent_version = process.initialized.agentInfo?.version ?? null;
      this.#context.mirror.emit('acp:step', { step: 'opening a session' });
      const session = await this.#open(process);
      const lever = leverFor(agent, launch.safety_mode, sandbox);
      const chosen = await chooseInSession(session, this.#target, plan.choices, lever);
      Object.assign(this.#end, chosen, { warnings: [...this.#end.warnings, ...chosen.warnings] });
      await this.#context.ready;
      await this.#talk(session);
      fit = (await this.#settle(process)) && !this.#halt.signal.aborted;
      // Nobody waits for it: an agent that is kept may forget the session once its answer is on its way.
      if (fit) setImmediate(() => void session.close());
    } finally {
      await client.close();
      this.#end.stderr = process.stderr.text;
      if (this.#abandon.signal.aborted) await process.kill();
      await pool.release(plan, process, fit);
    }
  }

  #clientOf({ launch: { grant, view } }: AgentProcess): TurnClient {
    const { launch, sandbox, clock, ask } = this.#context;
    return new TurnClient({
      safety_mode: launch.safety_mode,
      grant,
      confined: sandbox.guarantees.writes_confined,
      approves: this.#context.approves,
      view,
      sandbox,
      clock,
      ask,
      rules: this.#context.rules,
      shown: (path) => shownPath(resolve(view.cwd, path), this.#context.isolation),
      signal: this.#halt.signal,
      isOwnSession: (id) => id === this.#sessionId || this.#announced.has(id),
      onUpdate: (id, update) => this.#hear(id, update),
      onRequest: (asked) => this.#asked(asked),
      onEffect: () => {
        this.#effects = true;
      },
    });
  }

  /** The agent's id of the session; until that is open, of the one that it is asked to continue. */
  get #sessionId(): string | null {
    return this.#end.agent_session_id ?? this.#target.earlier;
  }

  async #open(process: AgentProcess): Promise<AgentSession> {
    const { clock, strictResume } = this.#context;
    for (const server of this.#target.mcp_servers) keepSecrets(givenTo(server));
    const { session, how, lost } = await openSession(process, {
      cwd: process.launch.view.cwd,
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

  async #talk(session: AgentSession): Promise<void> {
    const { turn, launch, remember, retell, more, isolation } = this.#context;
    // Anything beside the prompt is history, also of this very turn when it was begun by a process that died.
    const hasHistory = turn.log.metadata.message_count > 1;
    const { id, isKept: keeps, process } = session;
    const { view } = process.launch;
    remember({ id, agent: this.#target.agent.id, cwd: view.cwd, keeps });
    const knows = this.#end.opened !== 'new';
    if (!knows && hasHistory) this.#end.opened = 'retold';
    const before = knows ? [] : [launch.agent.instruction ?? '', hasHistory ? await retell() : ''];
    const place = view.overlays.length === 0 ? placeNote(isolation) : '';
    let text: string | null = [...before, place, turn.instruction]
      .filter((part) => part !== '')
      .join('\n\n---\n\n');
    let along = this.#attached(process);
    while (text !== null && !this.#halt.signal.aborted) {
      const response = await this.#prompt(session, [{ type: 'text', text }, ...along]).catch((error) => {
        // What a prompt that failed had consumed until then was consumed all the same.
        this.#count(null);
        throw error;
      });
      along = [];
      this.#count(response);
      this.#take(response);
      text = this.#end.error === null && !this.#halt.signal.aborted ? await more(this.#end.text) : null;
    }
  }

  /** What sub-agents still do belongs to the turn: their words, and their changes to its tree. False when some were given up. */
  async #settle(process: AgentProcess): Promise<boolean> {
    if (this.#announced.unfinished.length === 0) return true;
    if (this.#end.error !== null || this.#halt.signal.aborted) return false;
    this.#context.mirror.emit('acp:step', { step: 'waiting for its sub-agents' });
    const over = AbortSignal.any([this.#halt.signal, process.gone]);
    if (await this.#announced.settle(this.#context.clock, over)) return true;
    const names = this.#announced.unfinished.map(({ name }) => name).join(', ');
    this.#end.warnings.push(
      `The agent answered and never told how these sub-agents of it ended: ${names}. What they still did is lost.`,
    );
    return false;
  }

  #attached({ initialized }: AgentProcess): JsonObject[] {
    const { agent } = this.#target;
    const takesImages = initialized.agentCapabilities?.promptCapabilities?.image === true;
    const { attached } = this.#context.turn;
    const { blocks, warnings } = attachedBlocks(attached, { takesImages, agent: agent.display_name });
    this.#end.warnings.push(...warnings);
    return blocks;
  }

  async #prompt(session: AgentSession, prompt: JsonObject[]): Promise<PromptResponse | null> {
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
      const params: JsonObject = { sessionId: session.id, prompt };
      const asked = session.process.request<PromptResponse>('session/prompt', params, this.#abandon.signal);
      this.#context.told();
      this.#context.mirror.emit('acp:step', { step: 'working' });
      return await asked;
    } catch (error) {
      if (this.#abandon.signal.aborted) return null;
      throw loginRequired(session.process, error) ?? error;
    } finally {
      this.#halt.signal.removeEventListener('abort', cancel);
    }
  }

  #count(response: PromptResponse | null): void {
    const end = this.#end;
    const usage = readUsage(response, this.#fold.usages);
    if (usage) end.usage = addUsage(end.usage, usage);
    const isPartial = this.#target.agent.usage_covers === 'last_call' && this.#fold.toolCalls.length > 0;
    if (isPartial && !end.usage_partial) end.warnings.push(PARTIAL_USAGE);
    end.usage_partial ||= isPartial;
  }

  /** What a finished prompt means. A stop reason other than a plain end is never an answer. */
  #take(response: PromptResponse | null): void {
    if (response === null) return;
    const end = this.#end;
    const { agent } = this.#target;
    end.stop_reason = typeof response.stopReason === 'string' ? response.stopReason : null;
    end.text = this.#fold.text;
    end.error = judgeAnswer({
      agent,
      errorAnswers: this.#errorAnswers,
      stop_reason: end.stop_reason,
      text: end.text,
      endsWithText: this.#fold.endsWithText,
      failing: this.#fold.failing,
      refused: end.refused,
      stopped: this.#halt.signal.aborted,
    });
  }

  #hear(sessionId: string, update: JsonObject): void {
    this.#updates++;
    this.#context.touch();
    if (this.#listening !== null && this.#announced.take(sessionId, update)) {
      this.#fold.acted = true;
      return;
    }
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
    // Without a login the prompt reached no model.
    if (this.#end.error?.code === 'AUTH_REQUIRED') return 'safe';
    return this.#end.error?.code === 'ACP_TURN_ERROR' ? 'ambiguous' : 'duplicate_cost';
  }
}

/** An agent that could do nothing often says that all went well. */
function failedCalls(calls: readonly AgentToolCall[]): string[] {
  if (calls.length === 0 || calls.some(({ status }) => status !== 'failed')) return [];
  const said = calls.map(({ output }) => output.trim()).findLast((output) => output !== '');
  const reason = said ? ` The last one said: ${shorten(said, TOLD_CHARACTERS)}` : '';
  return [`Every tool call of the agent failed (${calls.length}), so its answer rests on none.${reason}`];
}

const TOLD_CHARACTERS = 300;

const PARTIAL_USAGE =
  'The agent tells the tokens of its last model call only; those of the calls before are not counted.';

/** Variables and headers of a server. */
function givenTo(server: McpServer): Record<string, string> {
  const pairs = 'env' in server ? server.env : 'headers' in server ? server.headers : [];
  return Object.fromEntries((pairs ?? []).map(({ name, value }) => [name, value]));
}

interface Asked {
  id: string;
  kind: string;
  title: string;
  allowed: boolean;
  because: string;
}
