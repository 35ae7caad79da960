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
import { ModuleError } from '../module-error.js';
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
      const response = await call(turn, candidate, injections, extra);
      [turn.provider] = candidate;
      turn.model = response.model ?? candidate[1].defaultModel ?? null;
      if (response.usage) turn.usage = addUsage(turn.usage, response.usage);
      return response;
    } catch (error) {
      const last = index === candidates.length - 1;
      if (last || !turn.config.failover || !mayFailOver(error, turn)) throw error;
    }
  }
  throw new ModuleError('No provider is mounted that could be asked.', { code: 'REQUEST_DENIED' });
}

/** Lowest priority number first, the provider of this turn before all others; equals keep the order they were mounted in. */
function orderCandidates({ runtime, provider: current }: Turn): Candidate[] {
  const rank = ([label, { priority = DEFAULT_PROVIDER_PRIORITY }]: Candidate) =>
    label === current ? Number.NEGATIVE_INFINITY : priority;
  return [...runtime.providers].sort((a, b) => rank(a) - rank(b));
}

/** What is wrong with the request is wrong everywhere, and words that were shown cannot be taken back. */
function mayFailOver(error: unknown, turn: Turn): boolean {
  if (!(error instanceof LLMError) || turn.shown) return false;
  const hopeless = [AbortError, ContentFilterError, ContextLengthError, InvalidRequestError];
  return !hopeless.some((type) => error instanceof type);
}

async function call(
  turn: Turn,
  [label, provider]: Candidate,
  injections: readonly Injection[],
  extra: Partial<ChatRequest>,
): Promise<ChatResponse> {
  const { hooks, coordinator } = turn.runtime;
  const model = await announce(turn, label, provider);
  const request = await buildRequest(turn, provider, [...injections, ...turn.injections.splice(0)], {
    ...extra,
    ...(model === undefined ? {} : { model }),
  });
  const named = { provider: label, ...(model === undefined ? {} : { model }) };
  await hooks.emit(EVENTS.LLM_REQUEST, { ...named, request });
  const deltas = turn.streaming ? new DeltaEvents(hooks) : null;
  const retries: Promise<unknown>[] = [];
  try {
    const response = withUniqueCallIds(
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
    );
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
