import {
  AbortError,
  addUsage,
  type ChatRequest,
  type ChatResponse,
  ContentFilterError,
  ContextLengthError,
  DEFAULT_PROVIDER_PRIORITY,
  EVENTS,
  errorInfo,
  InvalidRequestError,
  isPlainObject,
  LLMError,
  type Message,
  messageTokens,
  type Provider,
  type Tool,
  type ToolSpec,
} from '@amplifier/core';
import { REFUSED_VIEW_SHARE } from '../defaults.js';
import { ModuleError } from '../module-error.js';
import { boundAnswer, withUniqueCallIds } from './check-answer.js';
import { consult } from './consult-hooks.js';
import { DeltaEvents } from './delta-events.js';
import type { Candidate, Injection, Turn } from './turn.js';

/**
 * One model call, by the first provider that manages it. Until a model has answered in this turn, one that fails before it has said
 * anything is passed over for the next.
 */
export async function askModel(turn: Turn, extra: Partial<ChatRequest> = {}): Promise<ChatResponse> {
  turn.iterations++;
  turn.partial = '';
  turn.shown = false;
  const injections = turn.injections.splice(0);
  const candidates = candidatesOf(turn);
  for (const [index, candidate] of candidates.entries()) {
    try {
      const response = await callFitting(turn, candidate, injections, extra);
      turn.candidate = candidate;
      turn.model = response.model ?? candidate.provider.defaultModel ?? null;
      if (response.usage) turn.usage = addUsage(turn.usage, response.usage);
      return response;
    } catch (error) {
      const next = candidates[index + 1];
      if (!next || !mayFailOver(error, turn)) throw error;
      const { code = null, message } = errorInfo(error);
      await turn.runtime.hooks.emit(EVENTS.PROVIDER_FALLBACK, {
        from: candidate.name,
        to: next.name,
        error: { code, message },
      });
    }
  }
  throw noProvider(turn);
}

/** Says of every provider of the plan why it is not there. */
function noProvider({ runtime: { coordinator } }: Turn): ModuleError {
  const why = coordinator.diagnostics
    .filter(({ module_id, message }) => /^provider-/.test(module_id ?? message))
    .map(({ message }) => message);
  return new ModuleError(['No provider is mounted that could be asked.', ...why].join(' '), {
    code: 'REQUEST_DENIED',
  });
}

/**
 * Lowest priority number first; equals keep the order they were mounted in. Once a model has answered, only that one. Without
 * failover, those after the first are the candidates of the session.
 */
function candidatesOf({ runtime: { providers, coordinator }, candidate, config }: Turn): Candidate[] {
  if (candidate && providers.get(candidate.mounted_as) === candidate.provider) return [candidate];
  const known = coordinator.getCapability('session.candidates') ?? [];
  return [...providers]
    .sort(([, a], [, b]) => rank(a) - rank(b))
    .map(([mounted_as, provider]) => {
      const wanted = known.find((each) => each.mounted_as === mounted_as);
      const { provider: name, model } = wanted ?? {
        provider: mounted_as,
        model: provider.defaultModel ?? '',
      };
      return { mounted_as, provider, name: { provider: name, model }, isWanted: wanted !== undefined };
    })
    .filter(({ isWanted }, at) => at === 0 || isWanted || config.failover);
}

function rank({ priority = DEFAULT_PROVIDER_PRIORITY }: Provider): number {
  return priority;
}

/** What is wrong with the request is wrong everywhere, and words that were shown cannot be taken back. */
function mayFailOver(error: unknown, { shown, runtime: { coordinator } }: Turn): boolean {
  if (!(error instanceof LLMError) || shown || coordinator.cancellation.isCancelled) return false;
  const hopeless = [AbortError, ContentFilterError, ContextLengthError, InvalidRequestError];
  return !hopeless.some((type) => error instanceof type);
}

/** Tokens are estimated. When the estimate was wrong the model says so, and a smaller view is sent once. */
async function callFitting(
  turn: Turn,
  candidate: Candidate,
  injections: readonly Injection[],
  extra: Partial<ChatRequest>,
): Promise<ChatResponse> {
  try {
    return await call(turn, candidate, injections, extra);
  } catch (error) {
    if (!(error instanceof ContextLengthError) || turn.shown) throw error;
    const sent = turn.sent.reduce((sum, message) => sum + messageTokens(message), 0);
    const token_budget = Math.floor(sent * REFUSED_VIEW_SHARE);
    return call(turn, candidate, injections, extra, token_budget);
  }
}

async function call(
  turn: Turn,
  { provider, name }: Candidate,
  injections: readonly Injection[],
  extra: Partial<ChatRequest>,
  token_budget?: number,
): Promise<ChatResponse> {
  const { hooks, coordinator } = turn.runtime;
  const model = await announce(turn, name.provider, provider);
  const view = await turn.runtime.context.getMessagesForRequest({ provider, model, token_budget });
  const messages = [...injections, ...turn.injections.splice(0)].reduce(inject, view);
  const request = { ...requestOf(turn, messages, model), ...extra };
  turn.sent = messages;
  const named = { provider: name.provider, model };
  const told = hooks.emit(EVENTS.LLM_REQUEST, { ...named, request });
  if (told instanceof Promise) await told;
  let deltas = null as DeltaEvents | null;
  const retries: unknown[] = [];
  try {
    const answer = withUniqueCallIds(
      await provider.complete(request, {
        signal: coordinator.cancellation.signal,
        onRetry: (attempt, delay, error) => {
          retries.push(
            hooks.emit(EVENTS.PROVIDER_RETRY, {
              provider: name.provider,
              attempt,
              delay,
              error: errorInfo(error),
            }),
          );
        },
        onDelta: turn.streaming
          ? (delta) => {
              deltas ??= new DeltaEvents(turn);
              deltas.push(delta);
            }
          : undefined,
      }),
      turn.call_ids,
    );
    const response = boundAnswer(name.provider, answer);
    if (deltas) await deltas.finish();
    const answered = hooks.emit(EVENTS.LLM_RESPONSE, { ...named, usage: response.usage ?? null });
    if (answered instanceof Promise) await answered;
    const consulted = consult(turn, EVENTS.PROVIDER_RESPONSE, { ...named, response });
    if (consulted instanceof Promise) await consulted;
    turn.partial = '';
    return response;
  } catch (error) {
    await deltas?.finish();
    await hooks.emit(EVENTS.PROVIDER_ERROR, { ...named, error: errorInfo(error) });
    throw error;
  } finally {
    if (retries.length > 0) await Promise.all(retries);
  }
}

/** Tells the hooks, who may refuse the call or choose another model. Returns the model to ask for. */
async function announce(turn: Turn, label: string, provider: Provider): Promise<string | undefined> {
  const model = turn.config.model ?? provider.defaultModel;
  const asked = consult(turn, EVENTS.PROVIDER_REQUEST, {
    provider: label,
    iteration: turn.iterations,
    model,
  });
  const answer = asked instanceof Promise ? await asked : asked;
  if (answer.action === 'deny') {
    const why = answer.reason ?? 'no reason given';
    throw new ModuleError(`The request to ${label} was denied by a hook: ${why}`, { code: 'REQUEST_DENIED' });
  }
  const changed = isPlainObject(answer.data) ? answer.data.model : undefined;
  return typeof changed === 'string' ? changed : model;
}

/** What is sent: a view of the context, and the tools of this moment. */
function requestOf({ runtime, config }: Turn, messages: Message[], model: string | undefined): ChatRequest {
  const { tools, coordinator } = runtime;
  const { temperature, max_output_tokens, reasoning_effort } = config;
  return {
    messages,
    tools: tools.size === 0 ? undefined : [...tools.values()].map(specOf),
    conversation_id: coordinator.session.id,
    temperature,
    max_output_tokens,
    reasoning_effort,
    model,
  };
}

function specOf({ name, description, inputSchema }: Tool): ToolSpec {
  return { name, description, parameters: inputSchema };
}

/** Into the last tool result where that is asked for and there is one; otherwise as a new message at the end. */
function inject(messages: readonly Message[], injection: Injection): Message[] {
  const { role, content, append_to_last_tool_result } = injection;
  const last = messages.findLastIndex((message) => message.role === 'tool');
  const result = messages[last];
  if (!append_to_last_tool_result || !result) {
    return [...messages, { role, content, metadata: { source: 'hook', ephemeral: true } }];
  }
  const longer: Message = {
    ...result,
    content:
      typeof result.content === 'string'
        ? `${result.content}\n\n${content}`
        : [...result.content, { type: 'text', text: content }],
  };
  return messages.with(last, longer);
}
