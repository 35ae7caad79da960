import { createHash } from 'node:crypto';
import type { LanguageModelV3, LanguageModelV3CallOptions, LanguageModelV3Usage } from '@ai-sdk/provider';
import {
  AbortError,
  type ChatRequest,
  type ChatResponse,
  type Clock,
  type CompleteOptions,
  ConfigurationError,
  type ContentBlock,
  type JsonObject,
  LLMError,
  type Message,
  type ModelInfo,
  type Provider,
  type ProviderInfo,
  type ProviderQuota,
  type Random,
  retry,
  type Usage,
} from '@amplifier/core';
import { UNKNOWN_MODEL } from '../defaults.js';
import { askVendor } from './ask-vendor.js';
import { callOptions } from './call-options.js';
import { Deadline } from './deadline.js';
import { loadPrices } from './list-prices.js';
import { toLLMError } from './map-error.js';
import { costOf, mostCostOf, type PriceTable, priceOf } from './price-table.js';
import type { ProviderSettings } from './provider-settings.js';
import { AnswerReader } from './read-answer.js';
import type { Vendor } from './vendor.js';

/** How long a list of models is used again. Providers are mounted for each turn, and most turns ask for it (`npm run bench -- product`). */
const LISTING_MS = 60_000;
const MAX_LISTINGS = 100;
const listings = new Map<string, { clock: Clock; until: number; models: ModelInfo[] }>();

const FREE = { input: '0', output: '0' };

/**
 * A vendor's models behind our provider contract. The AI SDK only speaks the wire: retries, deadlines, errors and
 * cost are ours, so that they are the same for every vendor.
 */
export class AiSdkProvider implements Provider {
  readonly name: string;
  readonly priority?: number;
  readonly defaultModel?: string;
  readonly quota: ProviderQuota;
  #vendor: Vendor;
  #settings: ProviderSettings;
  #clock: Clock;
  #random: Random;
  #opened: Promise<(model: string) => LanguageModelV3> | undefined;
  #prices: Promise<PriceTable> | undefined;
  readonly #seeing = new Map<string, Promise<boolean>>();
  /** Where the rest of answers that are too long to keep goes; null drops it. Asked for at each call. */
  answersFolder: () => string | null = () => null;

  constructor(vendor: Vendor, settings: ProviderSettings, clock: Clock, random: Random = Math.random) {
    this.name = vendor.name;
    this.#vendor = vendor;
    this.#settings = settings;
    this.#clock = clock;
    this.#random = random;
    this.quota = { account: accountOf(vendor, settings), concurrency: settings.concurrency ?? null };
    if (settings.priority !== undefined) this.priority = settings.priority;
    if (settings.default_model !== null) this.defaultModel = settings.default_model;
  }

  getInfo(): ProviderInfo {
    const model = this.#settings.default_model;
    return {
      id: this.#vendor.name,
      display_name: this.#vendor.display_name,
      credential_env_vars: [...this.#vendor.credential_env_vars],
      capabilities: [...this.#vendor.capabilities],
      defaults: model === null ? {} : { model, ...this.modelInfo(model) },
      config_fields: configFields(this.#vendor),
    };
  }

  /** What is known of a model without asking the vendor; null when that is nothing. */
  modelInfo(model: string): ModelInfo | null {
    const { context_window, max_output_tokens } = this.#settings;
    const facts = this.#vendor.describeModel(model);
    if (!facts && context_window === undefined) return null;
    return {
      ...modelInfo(model, { ...UNKNOWN_MODEL, ...facts }, [...this.#vendor.capabilities]),
      ...(context_window === undefined ? {} : { context_window }),
      ...(max_output_tokens === undefined ? {} : { max_output_tokens }),
    };
  }

  async listModels(): Promise<ModelInfo[]> {
    const key = JSON.stringify([this.name, this.#settings]);
    const known = listings.get(key);
    if (known?.clock === this.#clock && this.#clock.now() < known.until) return known.models;
    const ask = askVendor(this.#vendor.name, this.#settings, this.#clock);
    const models = await this.#vendor.listModels(ask, this.#settings);
    for (const oldest of listings.keys()) if (listings.size >= MAX_LISTINGS) listings.delete(oldest);
    listings.set(key, { clock: this.#clock, until: this.#clock.now() + LISTING_MS, models });
    return models;
  }

  async mostCost(model: string, tokens: { input: number; output: number }): Promise<string | null> {
    const price = priceOf(await this.#priceTable(), model);
    return mostCostOf(tokens, price ?? (this.#vendor.is_free ? FREE : null));
  }

  #priceTable(): Promise<PriceTable> {
    const { price_file, prices } = this.#settings;
    this.#prices ??= loadPrices(price_file, prices);
    return this.#prices;
  }

  /** One that cannot be asked is taken for one that can: the vendor will say what is wrong. */
  #canSee(model: string): Promise<boolean> {
    const { vision } = this.#settings;
    const ask = () => askVendor(this.#vendor.name, this.#settings, this.#clock);
    const known =
      this.#seeing.get(model) ??
      (vision === undefined && this.#vendor.sees
        ? this.#vendor.sees(model, ask(), this.#settings).catch(() => true)
        : Promise.resolve(vision ?? this.#vendor.capabilities.includes('vision')));
    this.#seeing.set(model, known);
    return known;
  }

  async complete(request: ChatRequest, options: CompleteOptions = {}): Promise<ChatResponse> {
    const model = request.model ?? this.#settings.default_model;
    if (model === null) {
      const message = `${this.#vendor.module_id} has no model to ask. Set 'default_model' in its config or name one in the request.`;
      throw new ConfigurationError(message, { provider: this.name });
    }
    // A retry after something was shown would show it twice, so from then on a failure is final.
    let final: LLMError | undefined;
    const { signal, onRetry, beforeRetry } = options;
    const once = async () => {
      const reader = new AnswerReader(this.name, options.onDelta, this.answersFolder());
      try {
        return await this.#attempt(request, model, signal, reader);
      } catch (error) {
        if (!reader.shown || !(error instanceof LLMError)) throw error;
        final = error;
        return null;
      }
    };
    const response = await retry(once, {
      ...this.#settings.retry,
      clock: this.#clock,
      random: this.#random,
      beforeRetry,
      signal,
      onRetry,
    }).catch((error: unknown) => {
      if (error instanceof LLMError) throw error;
      if (signal?.aborted)
        throw new AbortError('The call was ended while it waited to be retried.', {
          provider: this.name,
          model,
          cause: error,
        });
      throw error;
    });
    if (response) return response;
    throw final;
  }

  async #attempt(
    request: ChatRequest,
    model: string,
    signal: AbortSignal | undefined,
    reader: AnswerReader,
  ): Promise<ChatResponse> {
    const timeout = request.timeout ?? this.#settings.timeout;
    using deadline = new Deadline(this.#clock, timeout, signal);
    const state = { midway: false };
    try {
      this.#opened ??= this.#vendor.open(this.#settings);
      const [prices, open] = await deadline.race(Promise.all([this.#priceTable(), this.#opened]));
      const shown = hasImages(request) && !(await this.#canSee(model)) ? hideImages(request, model) : request;
      const call = callOptions(this.#vendor, this.#settings, shown, model);
      await deadline.race(this.#read(open(model), { ...call, abortSignal: deadline.signal }, reader, state));
      return reader.finish((usage, answered) => readUsage(usage, answered, prices), model);
    } catch (error) {
      throw toLLMError(error, {
        provider: this.name,
        model,
        ended_by: deadline.endedBy,
        midway: state.midway,
        timeout,
        now: this.#clock.now(),
      });
    }
  }

  async #read(
    model: LanguageModelV3,
    call: LanguageModelV3CallOptions,
    reader: AnswerReader,
    state: { midway: boolean },
  ): Promise<void> {
    if (!this.#settings.streaming) {
      const { content, finishReason, usage, warnings, response } = await model.doGenerate(call);
      reader.take({ type: 'stream-start', warnings });
      if (response) reader.take({ type: 'response-metadata', ...response });
      reader.takeWhole(content);
      reader.take({ type: 'finish', finishReason, usage });
      return;
    }
    const { stream } = await model.doStream(call);
    for await (const part of stream as unknown as AsyncIterable<StreamPart>) {
      if (part.type === 'error') throw part.error;
      if (part.type !== 'stream-start') state.midway = true;
      reader.take(part);
    }
  }
}

type StreamPart =
  Awaited<ReturnType<LanguageModelV3['doStream']>>['stream'] extends ReadableStream<infer Part>
    ? Part
    : never;

/** Who shares a limit of the vendor: those with the same key at the same address. Of the key only a mark is told. */
function accountOf({ name }: Vendor, { base_url, api_key }: ProviderSettings): string {
  const address = base_url !== null && URL.canParse(base_url) ? new URL(base_url).host : 'default';
  const mark = api_key === null ? 'none' : createHash('sha256').update(api_key).digest('hex').slice(0, 12);
  return `${name} ${address} ${mark}`;
}

export function modelInfo(
  id: string,
  facts: { context_window: number; max_output_tokens: number },
  capabilities: string[],
  display_name = id,
): ModelInfo {
  const defaults: JsonObject = {};
  return { id, display_name, ...facts, capabilities, defaults };
}

function configFields(vendor: Vendor): ProviderInfo['config_fields'] {
  const variables = vendor.credential_env_vars.join(' or ');
  return [
    {
      name: 'api_key',
      type: 'secret',
      required: vendor.needs_credentials,
      description: variables === '' ? undefined : `Else read from ${variables}.`,
    },
    {
      name: 'base_url',
      type: 'string',
      required: vendor.default_base_url === null,
      default: vendor.default_base_url,
    },
    {
      name: 'default_model',
      type: 'string',
      required: vendor.default_model === null,
      default: vendor.default_model,
    },
  ];
}

/** The model layer's counts in our form, with the cost where the price is known. */
function readUsage(used: LanguageModelV3Usage, model: string, prices: PriceTable): Usage {
  const input_tokens = count(used.inputTokens.total);
  const output_tokens = count(used.outputTokens.total);
  const usage = {
    input_tokens,
    output_tokens,
    total_tokens: input_tokens + output_tokens,
    ...optional('reasoning_tokens', used.outputTokens.reasoning),
    ...optional('cache_read_tokens', used.inputTokens.cacheRead),
    ...optional('cache_write_tokens', used.inputTokens.cacheWrite),
  };
  return { ...usage, cost_usd: costOf(usage, priceOf(prices, model)) };
}

/** Some servers count in fractions or send nothing. */
function count(tokens: number | undefined): number {
  return tokens === undefined || !Number.isFinite(tokens) ? 0 : Math.max(0, Math.round(tokens));
}

function optional<Name extends string>(name: Name, tokens: number | undefined): { [key in Name]?: number } {
  return tokens === undefined ? {} : ({ [name]: count(tokens) } as { [key in Name]?: number });
}

function hasImages({ messages }: Pick<ChatRequest, 'messages'>): boolean {
  return messages.some(
    ({ content }) => Array.isArray(content) && content.some(({ type }) => type === 'image'),
  );
}

/** The request for a model without vision: a note replaces each image, so that the model can mention it. */
function hideImages<T extends Pick<ChatRequest, 'messages'>>(request: T, model: string): T {
  return { ...request, messages: request.messages.map((message) => blindly(message, model)) };
}

function blindly(message: Message, model: string): Message {
  if (!Array.isArray(message.content)) return message;
  return { ...message, content: message.content.map((block) => noteFor(block, model)) };
}

function noteFor(block: ContentBlock, model: string): ContentBlock {
  if (block.type !== 'image') return block;
  const name = typeof block.name === 'string' ? ` '${block.name}'` : '';
  const text = `(There is an image${name} here that you are not shown: the model ${model} takes no images. Say so where it matters.)`;
  return { type: 'text', text };
}
