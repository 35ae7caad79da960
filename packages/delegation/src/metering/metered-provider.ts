import {
  addUsage,
  type ChatRequest,
  type ChatResponse,
  type CompleteOptions,
  type ModelInfo,
  NO_USAGE,
  type Provider,
  type ProviderInfo,
  type Usage,
} from '@amplifier/core';
import type { ModelCatalog } from '@amplifier/foundation';
import { type Budget, isRefusal, LimitReached, type Refusal } from './budget.js';
import {
  type Call,
  describe,
  lineOf,
  mayHaveCost,
  mostOf,
  priceOf,
  priceOrMost,
  TokenBound,
  tokensOfFailure,
  usageOfMost,
} from './model-call.js';
import type { Obstacle } from './provider-gate.js';
import type { ProviderGates } from './provider-gates.js';

/** Output that a call is held to when it names no limit and the tree has a budget. */
const ASSUMED_OUTPUT_TOKENS = 8192;

/** What the meter of a turn has seen. */
export interface MeterReading {
  calls: number;
  usage: Usage;
  model: string | null;
  finish_reason: ChatResponse['finish_reason'] | null;
}

/** One model call that is over. */
interface MeteredCall {
  provider: string;
  model: string | null;
  usage: Usage;
  finish_reason: string | null;
  /** Nobody told what was used: it failed on the way, or the vendor does not count. */
  estimated?: true | undefined;
}

export interface MeterOptions {
  budget: Budget;
  max_turns: number;
  /** Called for each call that cost something, before its answer is acted on. */
  onCall: (call: MeteredCall) => void;
  /** Any sign that a call moves. */
  onProgress: () => void;
  /** Called before the model is asked, which waits for it. Where it fails the model is not asked. */
  onAsk: () => Promise<void> | undefined;
  gates: ProviderGates;
  /** Told when a call waits for its turn: for so many seconds, or, with null, until others have ended. */
  onWait: (wait: { provider: string; model: string; delay: number | null; reason: string }) => void;
}

/** A provider with every call metered, and its models listed by the catalog of the session, which asks it once. */
export class MeteredProvider implements Provider {
  readonly inner: Provider;
  readonly modelInfo?: NonNullable<Provider['modelInfo']>;
  readonly mostCost?: NonNullable<Provider['mostCost']>;
  readonly #meter: Meter;
  readonly #models: ModelCatalog;
  /** The providers of the session: a module may mount it under another name than its own. */
  readonly #mounted: ReadonlyMap<string, Provider>;

  constructor(inner: Provider, meter: Meter, models: ModelCatalog, mounted: ReadonlyMap<string, Provider>) {
    this.inner = inner;
    this.#meter = meter;
    this.#models = models;
    this.#mounted = mounted;
    if (inner.modelInfo) this.modelInfo = inner.modelInfo.bind(inner);
    if (inner.mostCost) this.mostCost = inner.mostCost.bind(inner);
  }

  get name(): string {
    return this.inner.name;
  }

  /** Undefined where the provider has none, as a member that is missing is. */
  get priority(): number {
    return this.inner.priority as number;
  }

  get defaultModel(): string {
    return this.inner.defaultModel as string;
  }

  getInfo(): ProviderInfo {
    return this.inner.getInfo();
  }

  async listModels(): Promise<ModelInfo[]> {
    for (const [name, provider] of this.#mounted)
      if (provider === this) return [...(await this.#models.models(name))];
    return this.inner.listModels();
  }

  complete(request: ChatRequest, options?: CompleteOptions): Promise<ChatResponse> {
    return this.#meter.complete(this.inner, request, options);
  }
}

/** Counts and bounds the model calls of one turn, over all providers of the session. */
export class Meter {
  readonly reading: MeterReading = { calls: 0, usage: NO_USAGE, model: null, finish_reason: null };
  #options: MeterOptions;
  /** Made for the first call with a budget. */
  #bound: TokenBound | undefined;

  constructor(options: MeterOptions) {
    this.#options = options;
  }

  /** One call of a provider, reserved before it is made and booked when it ends. */
  async complete(
    inner: Provider,
    request: ChatRequest,
    options: CompleteOptions = {},
  ): Promise<ChatResponse> {
    const { max_turns, onProgress, onAsk, gates, budget } = this.#options;
    if (this.reading.calls >= max_turns) {
      throw new LimitReached('turns', `The turn has made ${max_turns} model calls, which is its limit.`);
    }
    this.reading.calls++;
    const model = request.model ?? inner.defaultModel ?? '';
    const call: Call = { inner, model, request, most: null, reservation: null, heard: '' };
    if (!budget.isUnlimited) await this.#reserve(call, options.signal);
    // Only a call with a budget can find, when it is tried again, that nothing is left.
    const spentUp = call.most ? new AbortController() : null;
    let refusal: LimitReached | null = null;
    const { onDelta, onRetry } = options;
    const signal =
      options.signal && spentUp
        ? AbortSignal.any([options.signal, spentUp.signal])
        : (options.signal ?? spentUp?.signal);
    const pass = gates.passFor(inner, model);
    const enter = () => pass.enter({ signal, onProgress, onWait: (seen) => this.#tellWait(call, seen) });
    try {
      const written = onAsk();
      if (written) await written;
      if (!pass.passes()) await enter();
      onProgress();
      const response = await inner.complete(call.request, {
        signal,
        beforeRetry: enter,
        onRetry: (attempt, delay, error) => {
          pass.leave(error, delay);
          onRetry?.(attempt, delay, error);
          if (!mayHaveCost(error)) return;
          this.#bookFailure(call, call.most?.cost_usd ?? null);
          refusal = this.#reserveAgain(call);
          if (refusal) spentUp?.abort();
        },
        onDelta:
          onDelta &&
          ((delta) => {
            if ('text' in delta) call.heard += delta.text;
            onProgress();
            onDelta(delta);
          }),
      });
      pass.leave();
      const booked = this.#book(call, response);
      if (booked) await booked;
      return response;
    } catch (error) {
      pass.leave(error);
      if (refusal) throw refusal;
      if (mayHaveCost(error)) this.#bookFailure(call, await priceOrMost(call, tokensOfFailure(call)));
      else call.reservation?.settle({ tokens: 0, cost_usd: '0' });
      throw error;
    } finally {
      onProgress();
    }
  }

  #tellWait({ inner: { name }, model }: Call, { until, reason }: Obstacle): void {
    const { onWait, gates } = this.#options;
    const delay = until === null ? null : Math.max(0, until - gates.now) / 1000;
    onWait({ provider: name, model, delay, reason });
  }

  /** Reserves the most the call can use, having cut its output to what is left. */
  async #reserve(call: Call, signal: AbortSignal | undefined): Promise<void> {
    const { budget } = this.#options;
    this.#bound ??= new TokenBound();
    const input = this.#bound.of(lineOf(call), call.request);
    const output = await this.#roomFor(call, input);
    call.request = { ...call.request, max_output_tokens: output };
    const cost_usd = await priceOf(call, { input, output });
    call.most = { tokens: input + output, cost_usd, input };
    const answer = await budget.reserve(call.most, signal);
    if (isRefusal(answer)) throw this.#explain(call, answer);
    call.reservation = answer;
  }

  /** How much the answer may be, so that tokens and money suffice whatever it says. */
  async #roomFor(call: Call, input: number): Promise<number> {
    const { tokens, cost_usd } = this.#options.budget.remaining;
    const { inner, model, request } = call;
    const rooms = [
      request.max_output_tokens ?? ASSUMED_OUTPUT_TOKENS,
      inner.modelInfo?.(model)?.max_output_tokens ?? ASSUMED_OUTPUT_TOKENS,
    ];
    if (tokens !== null) rooms.push(tokens - input);
    const before = cost_usd === null ? null : await priceOf(call, { input, output: 0 });
    const million = cost_usd === null ? null : await priceOf(call, { input, output: 1_000_000 });
    if (before !== null && million !== null && million !== before) {
      const perToken = (Number(million) - Number(before)) / 1_000_000;
      rooms.push(Math.floor((Number(cost_usd) - Number(before)) / perToken));
    }
    return Math.max(1, Math.min(...rooms));
  }

  /** A promise only if the provider has to be asked for the price. */
  #book(call: Call, response: ChatResponse): Promise<void> | undefined {
    const { inner, request, model } = call;
    const { usage } = response;
    const estimated = usage === undefined;
    const counted = usage ?? (call.most ? usageOfMost(call.most) : null);
    // Only a call with a budget is estimated from what the vendor counted before.
    if (usage && call.most) this.#bound?.learn(lineOf(call), request, usage.input_tokens);
    this.reading.model = response.model ?? request.model ?? inner.defaultModel ?? null;
    this.reading.finish_reason = response.finish_reason ?? null;
    if (!counted) return undefined;
    const { input_tokens: input, output_tokens: output } = counted;
    const note = (cost_usd: string | null) =>
      this.#note(call, { ...counted, cost_usd }, this.reading.finish_reason ?? null, estimated);
    // A vendor may answer under another name than it was asked by. Then the price of what was asked for counts.
    const isAsked = counted.cost_usd == null && model !== '' && inner.mostCost;
    if (isAsked) return priceOrMost(call, { input, output }).then(note);
    note(counted.cost_usd ?? (model === '' ? null : mostOf(call)));
    return undefined;
  }

  /** It was asked, and nobody will say what for: the question, and what was heard of the answer. */
  #bookFailure(call: Call, cost_usd: string | null): void {
    const { input, output } = tokensOfFailure(call);
    call.heard = '';
    const counts = { input_tokens: input, output_tokens: output, total_tokens: input + output };
    this.#note(call, { ...counts, cost_usd }, 'error', true);
  }

  #note(call: Call, usage: Usage, finish_reason: string | null, estimated: boolean): void {
    call.reservation?.settle({ tokens: usage.total_tokens, cost_usd: usage.cost_usd });
    call.reservation = null;
    this.reading.usage = addUsage(this.reading.usage, usage);
    this.#options.onCall({
      provider: call.inner.name,
      model: this.reading.model ?? (call.model === '' ? null : call.model),
      usage,
      finish_reason,
      estimated: estimated || undefined,
    });
  }

  /** What the failed attempt held is spent; the next one needs as much again. */
  #reserveAgain(call: Call): LimitReached | null {
    if (!call.most) return null;
    const answer = this.#options.budget.reserveNow(call.most);
    if (isRefusal(answer)) return this.#explain(call, answer);
    call.reservation = answer;
    return null;
  }

  #explain({ inner, model, most }: Call, { refused, unpriced }: Refusal): LimitReached {
    const { tokens, cost_usd } = this.#options.budget.remaining;
    if (unpriced) {
      return new LimitReached(
        'cost',
        `The price of ${inner.name}/${model || 'its model'} is unknown, so the limit of $${cost_usd} cannot be enforced. Write its price under 'prices' in settings.yaml, or allow models without a price ('allow_unpriced').`,
      );
    }
    const left = refused === 'tokens' ? `${tokens} tokens` : `$${cost_usd}`;
    const need = most ? describe(most) : 'more';
    return new LimitReached(refused, `The next model call may need ${need} and only ${left} are left.`);
  }
}
