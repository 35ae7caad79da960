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
  messageTokens,
  type Provider,
} from '@amplifier/core';
import { REFUSED_VIEW_SHARE } from '../defaults.js';
import { ModuleError } from '../module-error.js';
import { boundAnswer } from './bound-answer.js';
import { buildRequest } from './build-request.js';
import { consult } from './consult-hooks.js';
import { DeltaEvents } from './delta-events.js';
import type { Candidate, Injection, Turn } from './turn.js';
import { withUniqueCallIds } from './unique-call-ids.js';

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
    const token_budget = Math.floor(turn.sent_tokens * REFUSED_VIEW_SHARE);
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
  const view = { provider, model, token_budget };
  const request = await buildRequest(turn, view, [...injections, ...turn.injections.splice(0)], extra);
  turn.sent_tokens = request.messages.reduce((sum, message) => sum + messageTokens(message), 0);
  const named = { provider: name.provider, model };
  const told = hooks.emit(EVENTS.LLM_REQUEST, { ...named, request });
  if (told instanceof Promise) await told;
  const deltas = turn.streaming ? new DeltaEvents(turn) : null;
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
        onDelta: deltas?.push,
      }),
      turn.call_ids,
    );
    const response = boundAnswer(name.provider, answer);
    await deltas?.finish();
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
    await Promise.all(retries);
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
