import {
  type ContextManager,
  type Coordinator,
  EVENTS,
  errorInfo,
  type JsonObject,
  KernelError,
  type Message,
  type ModelInfo,
  type Provider,
  pairToolCalls,
  type RequestView,
  textTokens,
} from '@amplifier/core';
import { z } from 'zod';
import { BUDGET_MARGIN, MIN_WINDOW_SHARE, REQUEST_RESERVE_TOKENS, UNKNOWN_MODEL } from '../defaults.js';
import { compactView, size, type ViewState, WHOLE_VIEW } from './compact-view.js';

export function mount(coordinator: Coordinator, config: JsonObject): void {
  const context = new SimpleContext(coordinator, readContextConfig(config, 'context-simple'));
  coordinator.mounts.mount('context', context);
}

const ContextConfig = z.looseObject({
  /** Tokens a request may take at most, however large the model's window is. */
  max_tokens: z.coerce.number().int().positive().optional(),
});
export type ContextConfig = z.infer<typeof ContextConfig>;

export function readContextConfig(config: JsonObject, moduleId: string): ContextConfig {
  if (config.max_tokens === undefined) return config;
  const parsed = ContextConfig.safeParse(config);
  if (parsed.success) return parsed.data;
  throw new KernelError(`The config of ${moduleId} cannot be read: ${z.prettifyError(parsed.error)}`, {
    code: 'MODULE_MOUNT_FAILED',
    origin: moduleId,
  });
}

/**
 * The whole history in memory, a view of it on the wire. What is sent begins with the system prompt, holds as much of the
 * history as fits, and ends with the children that still run: that block is made anew for each request, so no compaction
 * can forget them.
 */
export class SimpleContext implements ContextManager {
  protected readonly coordinator: Coordinator;
  #messages: Message[] = [];
  #maxTokens: number;
  #systemPrompt: (() => Promise<string>) | undefined;
  /** Made anew when the prompt changes: its size is known by the object. */
  #system: Message | null = null;
  #view: ViewState = WHOLE_VIEW;

  constructor(coordinator: Coordinator, { max_tokens }: ContextConfig = {}) {
    this.coordinator = coordinator;
    this.#maxTokens = max_tokens ?? Number.POSITIVE_INFINITY;
  }

  async addMessage(message: Message): Promise<void> {
    this.#messages.push(message);
  }

  async getMessagesForRequest(view: RequestView = {}): Promise<Message[]> {
    const prompt = await this.#systemPrompt?.();
    const listed = this.coordinator.getCapability('session.live_children')?.();
    const children = listed ? await listed : null;
    if (this.#system?.content !== prompt) this.#system = prompt ? { role: 'system', content: prompt } : null;
    const before = this.#system ? [this.#system] : [];
    const after = children ? [liveChildren(children)] : [];
    const budget = view.token_budget ?? budgetOf(await windowOf(view, this.coordinator));
    const most = Math.min(Math.floor(budget * BUDGET_MARGIN), this.#maxTokens);
    const fixed = size(before) + size(after) + toolTokens(this.coordinator);
    const compacted = this.#compacted(Math.max(0, most - fixed));
    const messages = compacted instanceof Promise ? await compacted : compacted;
    return [...before, ...messages, ...after];
  }

  async getMessages(): Promise<Message[]> {
    return [...this.#messages];
  }

  async setMessages(messages: Message[]): Promise<void> {
    this.#messages = [...messages];
    this.#view = WHOLE_VIEW;
  }

  clear(): Promise<void> {
    return this.setMessages([]);
  }

  setSystemPromptFactory(factory: () => Promise<string>): void {
    this.#systemPrompt = factory;
  }

  /** The part of the history that fits. A promise only if a compaction has to be announced. */
  #compacted(room: number): Message[] | Promise<Message[]> {
    const groups = pairToolCalls(this.#messages);
    const previous = this.#view;
    const { messages, state, tokens } = compactView(groups, room, previous);
    this.#view = state;
    const moved =
      state.drop_before !== previous.drop_before || state.shorten_before !== previous.shorten_before;
    if (!moved) return messages;
    const before_tokens = size(this.#messages);
    const report = { before_tokens, after_tokens: tokens, budget: room, ...state };
    return this.#announce(report).then(() => messages);
  }

  async #announce(report: JsonObject): Promise<void> {
    const { hooks } = this.coordinator;
    await hooks.emit(EVENTS.CONTEXT_PRE_COMPACT, report);
    await hooks.emit(EVENTS.CONTEXT_COMPACTION, report);
    await hooks.emit(EVENTS.CONTEXT_POST_COMPACT, report);
  }
}

function liveChildren(content: string): Message {
  return { role: 'system', content, metadata: { source: 'live_children', ephemeral: true } };
}

type Window = Pick<ModelInfo, 'context_window' | 'max_output_tokens'>;

const listings = new WeakMap<Provider, Promise<ModelInfo[]>>();

/** Tokens that the window of a model leaves for a request, beside its answer. */
export function budgetOf({ context_window, max_output_tokens }: Window): number {
  return Math.max(
    context_window - max_output_tokens - REQUEST_RESERVE_TOKENS,
    context_window * MIN_WINDOW_SHARE,
  );
}

/** The tools go with every request and take their share of it. */
function toolTokens({ mounts }: Coordinator): number {
  let tokens = 0;
  for (const { name, description, inputSchema } of mounts.all('tools').values()) {
    tokens += textTokens(name) + textTokens(description) + schemaTokens(inputSchema);
  }
  return tokens;
}

/** By schema object: tools are counted before every request (`npm run bench -- delegation`). A tool must not change its schema. */
const schemas = new WeakMap<object, number>();

function schemaTokens(schema: object): number {
  let tokens = schemas.get(schema);
  if (tokens === undefined) {
    tokens = textTokens(JSON.stringify(schema));
    schemas.set(schema, tokens);
  }
  return tokens;
}

/** The window of the model that is asked. A provider that does not know it is asked once for its models. */
async function windowOf(
  { provider, model = provider?.defaultModel }: RequestView,
  coordinator: Coordinator,
): Promise<Window> {
  if (!provider || model === undefined) return UNKNOWN_MODEL;
  const known = provider.modelInfo?.(model);
  if (known) return known;
  let listing = listings.get(provider);
  if (!listing) {
    listing = listModels(provider, coordinator);
    listings.set(provider, listing);
  }
  return (await listing).find(({ id }) => id === model) ?? UNKNOWN_MODEL;
}

/** A provider that cannot answer is reported and taken for small. */
async function listModels(provider: Provider, coordinator: Coordinator): Promise<ModelInfo[]> {
  try {
    return await provider.listModels();
  } catch (error) {
    coordinator.report({
      level: 'warning',
      code: 'MODEL_WINDOW_UNKNOWN',
      message: `${provider.name} cannot list its models (${errorInfo(error).message}), so a window of ${UNKNOWN_MODEL.context_window} tokens is assumed. Set 'context_window' in its config.`,
      error,
    });
    return [];
  }
}
