import {
  AbortError,
  type AmplifierModule,
  type ChatResponse,
  EVENTS,
  errorInfo,
  isPlainObject,
  LLMError,
  type Message,
  type Orchestrator,
  type TurnRuntime,
  textOf,
  toolCallsOf,
} from '@amplifier/core';
import { MAX_RETURNS } from '../defaults.js';
import { ModuleError } from '../module-error.js';
import { askModel } from './ask-model.js';
import { carryOut } from './consult-hooks.js';
import { runTools } from './run-tools.js';
import { answerMessage, type LoopConfig, newTurn, readLoopConfig, type Turn, type TurnEnd } from './turn.js';

/** Each answer comes in one piece. */
export const loopBasic = loopModule('loop-basic', false);
/** Each piece of an answer becomes an event as it comes. */
export const loopStreaming = loopModule('loop-streaming', true);

function loopModule(name: string, streaming: boolean): AmplifierModule {
  return {
    mount: ({ mounts }, config) =>
      mounts.mount('orchestrator', new Loop(name, readLoopConfig(config, name), streaming)),
  };
}

/** The loop of a turn: ask the model, run the tools it wants, ask again, until it has nothing more to do. */
export class Loop implements Orchestrator {
  readonly name: string;
  #config: LoopConfig;
  #streaming: boolean;

  constructor(name: string, config: LoopConfig, streaming: boolean) {
    this.name = name;
    this.#config = config;
    this.#streaming = streaming;
  }

  async execute(prompt: string, runtime: TurnRuntime): Promise<string> {
    const { hooks } = runtime;
    const turn = newTurn(runtime, this.#config, this.#streaming);
    let end: TurnEnd = { response: '', status: 'incomplete', reason: 'error' };
    let failure: unknown = null;
    const begun = hooks.emit(EVENTS.EXECUTION_START, { prompt });
    if (begun instanceof Promise) await begun;
    try {
      await learnCallIds(turn);
      await submitPrompt(turn, prompt);
      let returns = 0;
      do end = await runSteps(turn);
      while (await isSentBack(turn, prompt, end, returns++));
      return end.response;
    } catch (error) {
      failure = error;
      end = { ...end, response: turn.partial === '' ? turn.response : turn.partial };
      throw error;
    } finally {
      const { response, status, reason } = end;
      const ended = failure ? 'error' : status === 'cancelled' ? 'cancelled' : 'completed';
      await hooks.emit(EVENTS.EXECUTION_END, { response, status: ended });
      await hooks.emit(EVENTS.ORCHESTRATOR_COMPLETE, {
        orchestrator: this.name,
        turn_count: turn.iterations,
        status,
        metadata: {
          reason,
          provider: turn.candidate?.name.provider ?? null,
          model: turn.model,
          usage: turn.usage,
          error: failure ? errorInfo(failure) : undefined,
        },
      });
    }
  }
}

async function learnCallIds({ runtime, call_ids }: Turn): Promise<void> {
  for (const message of await runtime.context.getMessages())
    for (const { id } of toolCallsOf(message)) call_ids.add(id);
}

async function submitPrompt(turn: Turn, prompt: string): Promise<void> {
  const { hooks, context } = turn.runtime;
  const emitted = hooks.emit(EVENTS.PROMPT_SUBMIT, { prompt });
  const asked = emitted instanceof Promise ? await emitted : emitted;
  const injects = asked.action === 'inject_context';
  // An injection belongs behind the prompt; a verdict has to come before it.
  const verdict = injects ? asked : await carryOut(turn, EVENTS.PROMPT_SUBMIT, asked);
  if (verdict.action === 'deny') {
    const why = verdict.reason ?? 'no reason given';
    throw new ModuleError(`The prompt was denied by a hook: ${why}`, { code: 'PROMPT_DENIED' });
  }
  const changed = isPlainObject(verdict.data) ? verdict.data.prompt : undefined;
  await context.addMessage({ role: 'user', content: typeof changed === 'string' ? changed : prompt });
  if (injects) await carryOut(turn, EVENTS.PROMPT_SUBMIT, asked);
}

/** What a hook adds to a turn that is complete sends the model back to work, a few times at most. True when it did. */
async function isSentBack(turn: Turn, prompt: string, end: TurnEnd, returns: number): Promise<boolean> {
  const complete = { prompt, response: end.response, returns };
  const emitted = turn.runtime.hooks.emit(EVENTS.PROMPT_COMPLETE, complete);
  const said = emitted instanceof Promise ? await emitted : emitted;
  if (said.action !== 'inject_context' || end.status !== 'success' || returns >= MAX_RETURNS) return false;
  await carryOut(turn, EVENTS.PROMPT_COMPLETE, said);
  return true;
}

async function runSteps(turn: Turn): Promise<TurnEnd> {
  const { context, coordinator } = turn.runtime;
  const { max_iterations } = turn.config;
  let nudged = false;
  try {
    while (!coordinator.cancellation.isCancelled) {
      const steered = takeSteering(turn);
      if (steered) await steered;
      if (max_iterations > 0 && turn.iterations >= max_iterations) return await wrapUp(turn);
      const answer = await askModel(turn);
      const silent = answer.content.length === 0 && !answer.tool_calls?.length;
      if (!silent) await context.addMessage(answerMessage(answer));
      const text = textOf(answer.content);
      if (text.trim() !== '') turn.response = text;
      if (answer.tool_calls?.length) await runTools(turn, answer);
      else if (await takeSteering(turn)) continue;
      else if (text.trim() !== '' || nudged || answer.finish_reason === 'content_filter') {
        return endOf(answer, text);
      } else {
        nudged = true;
        turn.injections.push({ role: 'system', content: EMPTY_ANSWER, append_to_last_tool_result: false });
      }
    }
  } catch (error) {
    if (!(error instanceof AbortError) || !coordinator.cancellation.isCancelled) throw error;
  }
  return closeCancelled(turn);
}

const EMPTY_ANSWER =
  'Your last message was empty. Give your final answer now, or continue with the work if it is not done.';

function endOf({ finish_reason }: ChatResponse, response: string): TurnEnd {
  if (finish_reason === 'content_filter') return { response, status: 'incomplete', reason: 'content_filter' };
  if (response.trim() === '') return { response, status: 'incomplete', reason: 'empty_response' };
  if (finish_reason === 'length') return { response, status: 'incomplete', reason: 'length' };
  return { response, status: 'success', reason: null };
}

/** Adds what came in for the session since the last step. True when there was something. */
function takeSteering({ runtime }: Turn): Promise<boolean> | false {
  const taken = runtime.coordinator.getCapability('session.steer')?.();
  return taken ? addSteering(runtime, taken) : false;
}

async function addSteering({ context }: TurnRuntime, taken: Promise<Message[]>): Promise<boolean> {
  const messages = await taken;
  for (const message of messages) await context.addMessage(message);
  return messages.length > 0;
}

/** The limit is reached: one last call, without tools, so that the work done so far is not lost. */
async function wrapUp(turn: Turn): Promise<TurnEnd> {
  const { max_iterations } = turn.config;
  turn.injections.push({
    role: 'system',
    content: wrapUpNote(max_iterations),
    append_to_last_tool_result: false,
  });
  const answer = await askModel(turn, { tool_choice: 'none' }).catch((error: unknown) => {
    if (!(error instanceof LLMError) || error instanceof AbortError) throw error;
    // The limit is the outcome all the same; what was said before it still counts.
    const message = `The conclusion after ${max_iterations} steps could not be had: ${error.message}`;
    turn.runtime.coordinator.report({ level: 'warning', code: 'WRAP_UP_FAILED', message, error });
    return null;
  });
  const content = answer?.content.filter((block) => block.type !== 'tool_call') ?? [];
  if (content.length > 0) await turn.runtime.context.addMessage(answerMessage({ content }));
  const text = textOf(content);
  return {
    response: text.trim() === '' ? turn.response : text,
    status: 'incomplete',
    reason: 'max_iterations',
  };
}

function wrapUpNote(limit: number): string {
  return `You have reached the limit of ${limit} steps for this turn. Call no more tools. Say what is done, what you found, and what is left to do.`;
}

/** Leaves a history that the next turn can go on from: the model will know that it was stopped. */
async function closeCancelled(turn: Turn): Promise<TurnEnd> {
  const said = turn.partial.trim() === '' ? [] : [turn.partial];
  const text = [...said, '[The turn was cancelled here.]'].join('\n\n');
  await turn.runtime.context.addMessage({
    role: 'assistant',
    content: text,
    metadata: { source: 'orchestrator', reason: 'cancelled' },
  });
  const response = said[0] ?? turn.response;
  return { response, status: 'cancelled', reason: 'cancelled' };
}
