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
  type Provider,
} from '@amplifier/core';
import { estimateTokens } from '../contexts/estimate-tokens.js';
import { REFUSED_VIEW_SHARE } from '../defaults.js';
import { ModuleError } from '../module-error.js';
import { boundAnswer } from './bound-answer.js';
import { buildRequest } from './build-request.js';
import { carryOut } from './consult-hooks.js';
import { DeltaEvents } from './delta-events.js';
import type { Injection, Turn } from './turn.js';
import { withUniqueCallIds } from './unique-call-ids.js';

type Candidate = readonly [label: string, provider: Provider];

/**
 * One model call, by the first provider that manages it. A provider that fails before it has said anything is passed
 * over for the next; the one that answered is kept for the rest of the turn.
 */
export async function askModel(turn: Turn, extra: Partial<ChatRequest> = {}): Promise<ChatResponse> {
  turn.iterations++;
  turn.partial = '';
  turn.shown = false;
  const injections = turn.injections.splice(0);
  const candidates = orderCandidates(turn);
  for (const [index, candidate] of candidates.entries()) {
    try {
      const response = await callFitting(turn, candidate, injections, extra);
      [turn.provider] = candidate;
      turn.model = response.model ?? candidate[1].defaultModel ?? null;
      if (response.usage) turn.usage = addUsage(turn.usage, response.usage);
      return response;
    } catch (error) {
      const last = index === candidates.length - 1;
      if (last || !turn.config.failover || !mayFailOver(error, turn)) throw error;
      const { code = null, message } = errorInfo(error);
      await turn.runtime.hooks.emit(EVENTS.PROVIDER_FALLBACK, {
        from: nameOf(candidate),
        to: nameOf(candidates[index + 1]),
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

/** Lowest priority number first, the provider of this turn before all others; equals keep the order they were mounted in. */
function orderCandidates({ runtime, provider: current }: Turn): Candidate[] {
  const rank = ([label, { priority = DEFAULT_PROVIDER_PRIORITY }]: Candidate) =>
    label === current ? Number.NEGATIVE_INFINITY : priority;
  return [...runtime.providers].sort((a, b) => rank(a) - rank(b));
}

function nameOf(candidate: Candidate | undefined): { provider: string; model: string } | null {
  return candidate ? { provider: candidate[0], model: candidate[1].defaultModel ?? '' } : null;
}

/** What is wrong with the request is wrong everywhere, and words that were shown cannot be taken back. */
function mayFailOver(error: unknown, turn: Turn): boolean {
  if (!(error instanceof LLMError) || turn.shown) return false;
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
  [label, provider]: Candidate,
  injections: readonly Injection[],
  extra: Partial<ChatRequest>,
  token_budget?: number,
): Promise<ChatResponse> {
  const { hooks, coordinator } = turn.runtime;
  const model = await announce(turn, label, provider);
  const view = {
    provider,
    ...(model === undefined ? {} : { model }),
    ...(token_budget === undefined ? {} : { token_budget }),
  };
  const request = await buildRequest(turn, view, [...injections, ...turn.injections.splice(0)], extra);
  turn.sent_tokens = request.messages.reduce((sum, message) => sum + estimateTokens(message), 0);
  const named = { provider: label, ...(model === undefined ? {} : { model }) };
  await hooks.emit(EVENTS.LLM_REQUEST, { ...named, request });
  const deltas = turn.streaming ? new DeltaEvents(hooks) : null;
  const retries: Promise<unknown>[] = [];
  try {
    const answer = withUniqueCallIds(
      await provider.complete(request, {
        signal: coordinator.cancellation.signal,
        onRetry: (attempt, delay, error) => {
          retries.push(
            hooks.emit(EVENTS.PROVIDER_RETRY, { provider: label, attempt, delay, error: errorInfo(error) }),
          );
        },
        ...(deltas
          ? {
              onDelta: (delta) => {
                turn.shown = true;
                if (delta.type === 'text') turn.partial += delta.text;
                deltas.push(delta);
              },
            }
          : {}),
      }),
      turn.call_ids,
    );
    const response = boundAnswer(label, answer);
    await deltas?.finish();
    await hooks.emit(EVENTS.LLM_RESPONSE, { ...named, usage: response.usage ?? null });
    await carryOut(
      turn,
      EVENTS.PROVIDER_RESPONSE,
      await hooks.emit(EVENTS.PROVIDER_RESPONSE, { ...named, response }),
    );
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
  const asked = await turn.runtime.hooks.emit(EVENTS.PROVIDER_REQUEST, {
    provider: label,
    iteration: turn.iterations,
    ...(model === undefined ? {} : { model }),
  });
  const answer = await carryOut(turn, EVENTS.PROVIDER_REQUEST, asked);
  if (answer.action === 'deny') {
    const why = answer.reason ?? 'no reason given';
    throw new ModuleError(`The request to ${label} was denied by a hook: ${why}`, { code: 'REQUEST_DENIED' });
  }
  const changed = isPlainObject(answer.data) ? answer.data.model : undefined;
  return typeof changed === 'string' ? changed : model;
}
