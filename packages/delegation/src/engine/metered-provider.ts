import {
  addUsage,
  type ChatRequest,
  type ChatResponse,
  type CompleteOptions,
  NO_USAGE,
  type Provider,
  type Usage,
} from '@amplifier/core';
import { CHARACTERS_PER_TOKEN } from '../defaults.js';
import { type Budget, isRefusal, type Spend } from '../limits/budget.js';
import { LimitReached } from '../limits/limit-reached.js';

declare module '@amplifier/core' {
  interface Capabilities {
    /** What so many tokens of a model cost at the most, in US dollars as a decimal string; null when nobody knows. */
    'models.price': (
      provider: string,
      model: string,
      tokens: { input: number; output: number },
    ) => string | null;
  }
}

/** Output that a call is held to when it names no limit and the tree has a budget. */
const ASSUMED_OUTPUT_TOKENS = 8192;

/** What the meter of a turn has seen. */
export interface MeterReading {
  calls: number;
  usage: Usage;
  model: string | null;
  finish_reason: ChatResponse['finish_reason'] | null;
}

export interface MeterOptions {
  budget: Budget;
  max_turns: number;
  price: (provider: string, model: string, tokens: { input: number; output: number }) => string | null;
  /** Called for each finished call, before its answer is acted on. */
  onCall: (call: {
    provider: string;
    model: string | null;
    usage: Usage | null;
    finish_reason: string | null;
  }) => void;
  /** Any sign that a call moves. */
  onProgress: () => void;
  /** Resolves when what the call is about is on disk. */
  settle: () => Promise<unknown>;
}

/** Counts and bounds the model calls of one turn, over all providers of the session. */
export class Meter {
  readonly reading: MeterReading = { calls: 0, usage: NO_USAGE, model: null, finish_reason: null };
  #options: MeterOptions;

  constructor(options: MeterOptions) {
    this.#options = options;
  }

  /** The provider with every call reserved before it is made and booked when it ends, and its models listed by `listModels`. */
  wrap(inner: Provider, listModels: Provider['listModels'] = () => inner.listModels()): Provider {
    const complete = (request: ChatRequest, options: CompleteOptions = {}) =>
      this.#complete(inner, request, options);
    return new Proxy(inner, {
      get: (target, property) => {
        if (property === 'complete') return complete;
        if (property === 'listModels') return listModels;
        const value = Reflect.get(target, property, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }

  async #complete(inner: Provider, request: ChatRequest, options: CompleteOptions): Promise<ChatResponse> {
    const { budget, max_turns, onCall, onProgress, settle } = this.#options;
    if (this.reading.calls >= max_turns) {
      throw new LimitReached('turns', `The turn has made ${max_turns} model calls, which is its limit.`);
    }
    this.reading.calls++;
    const bounded = budget.isUnlimited ? request : boundOutput(request, budget);
    const reservation = budget.isUnlimited ? null : await this.#reserve(inner, bounded, options.signal);
    let spent: Usage | null = null;
    try {
      await settle();
      onProgress();
      const onDelta = options.onDelta;
      const response = await inner.complete(bounded, {
        ...options,
        ...(onDelta
          ? {
              onDelta: (delta) => {
                onProgress();
                onDelta(delta);
              },
            }
          : {}),
      });
      spent = response.usage ?? null;
      this.#note(inner, request, response);
      return response;
    } finally {
      reservation?.settle({ tokens: spent?.total_tokens ?? 0, cost_usd: spent?.cost_usd ?? null });
      if (spent)
        onCall({
          provider: inner.name,
          model: this.reading.model,
          usage: spent,
          finish_reason: this.reading.finish_reason ?? null,
        });
      onProgress();
    }
  }

  #note(inner: Provider, request: ChatRequest, response: ChatResponse): void {
    this.reading.usage = addUsage(this.reading.usage, response.usage ?? NO_USAGE);
    this.reading.model = response.model ?? request.model ?? inner.defaultModel ?? null;
    this.reading.finish_reason = response.finish_reason ?? null;
  }

  async #reserve(inner: Provider, request: ChatRequest, signal: AbortSignal | undefined) {
    const input = inputTokens(request);
    const output = request.max_output_tokens ?? ASSUMED_OUTPUT_TOKENS;
    const model = request.model ?? inner.defaultModel ?? '';
    const most: Spend = {
      tokens: input + output,
      cost_usd: this.#options.price(inner.name, model, { input, output }),
    };
    const answer = await this.#options.budget.reserve(most, signal);
    if (!isRefusal(answer)) return answer;
    const { tokens, cost_usd } = this.#options.budget.remaining;
    const left = answer.refused === 'tokens' ? `${tokens} tokens` : `$${cost_usd}`;
    throw new LimitReached(
      answer.refused,
      `The next model call may need ${describe(most)} and only ${left} are left.`,
    );
  }
}

function describe({ tokens, cost_usd }: Spend): string {
  return cost_usd === null ? `${tokens} tokens` : `${tokens} tokens and $${cost_usd}`;
}

/** With a token budget no call may say more than what is left: the vendor then keeps the bound for us. */
function boundOutput(request: ChatRequest, budget: Budget): ChatRequest {
  const { tokens } = budget.remaining;
  if (tokens === null) return request;
  const room = Math.max(1, tokens - inputTokens(request));
  return {
    ...request,
    max_output_tokens: Math.min(request.max_output_tokens ?? ASSUMED_OUTPUT_TOKENS, room),
  };
}

function inputTokens({ messages, tools }: ChatRequest): number {
  return Math.ceil(
    (JSON.stringify(messages).length + JSON.stringify(tools ?? []).length) / CHARACTERS_PER_TOKEN,
  );
}
