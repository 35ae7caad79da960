import {
  type ContextManager,
  type Coordinator,
  EVENTS,
  type JsonObject,
  KernelError,
  type Message,
  messageTokens,
  pairToolCalls,
  type RequestView,
} from '@amplifier/core';
import { z } from 'zod';
import { compactView, type ViewState, WHOLE_VIEW } from './compact-view.js';
import { requestBudget, toolTokens } from './request-budget.js';

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
  #view: ViewState = WHOLE_VIEW;

  constructor(coordinator: Coordinator, { max_tokens }: ContextConfig = {}) {
    this.coordinator = coordinator;
    this.#maxTokens = max_tokens ?? Number.POSITIVE_INFINITY;
  }

  async addMessage(message: Message): Promise<void> {
    this.#messages.push(message);
  }

  async getMessagesForRequest(view: RequestView = {}): Promise<Message[]> {
    const before = await this.#systemMessages();
    const after = await this.#liveChildren();
    const budget = Math.min(await requestBudget(view, this.coordinator), this.#maxTokens);
    const fixed = [...before, ...after].reduce((sum, message) => sum + messageTokens(message), 0);
    const room = Math.max(0, budget - fixed - toolTokens(this.coordinator));
    const messages = await this.#compacted(room);
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

  async #compacted(room: number): Promise<Message[]> {
    const { hooks } = this.coordinator;
    const groups = pairToolCalls(this.#messages);
    const previous = this.#view;
    const { messages, state, tokens } = compactView(groups, room, previous);
    this.#view = state;
    const moved =
      state.drop_before !== previous.drop_before || state.shorten_before !== previous.shorten_before;
    if (!moved) return messages;
    const before_tokens = this.#messages.reduce((sum, message) => sum + messageTokens(message), 0);
    const report = { before_tokens, after_tokens: tokens, budget: room, ...state };
    await hooks.emit(EVENTS.CONTEXT_PRE_COMPACT, report);
    await hooks.emit(EVENTS.CONTEXT_COMPACTION, report);
    await hooks.emit(EVENTS.CONTEXT_POST_COMPACT, report);
    return messages;
  }

  async #systemMessages(): Promise<Message[]> {
    const prompt = await this.#systemPrompt?.();
    return prompt ? [{ role: 'system', content: prompt }] : [];
  }

  async #liveChildren(): Promise<Message[]> {
    const text = await this.coordinator.getCapability('session.live_children')?.();
    if (!text) return [];
    return [{ role: 'system', content: text, metadata: { source: 'live_children', ephemeral: true } }];
  }
}
