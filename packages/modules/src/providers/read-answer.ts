import type {
  LanguageModelV3Content,
  LanguageModelV3FinishReason,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
  SharedV3ProviderMetadata,
  SharedV3Warning,
} from '@ai-sdk/provider';
import {
  AnswerRoom,
  type ChatResponse,
  type ContentBlock,
  type FinishReason,
  isPlainObject,
  type JsonObject,
  type StreamDelta,
  StreamError,
  type ToolCall,
  type Usage,
} from '@amplifier/core';

/** A call whose arguments are no JSON object. It is kept, so that the model can be told; see `ChatResponse.metadata`. */
export interface InvalidToolCall extends JsonObject {
  id: string;
  raw_arguments: string;
}

type Part = Exclude<LanguageModelV3StreamPart, { type: 'error' }>;
type Metadata = SharedV3ProviderMetadata | undefined;

/** Gathers a streamed answer into a response, telling each piece as it comes. */
export class AnswerReader {
  #provider: string;
  #onDelta: ((delta: StreamDelta) => void) | undefined;
  /** Was a piece of the answer passed on? */
  shown = false;
  #blocks: ContentBlock[] = [];
  #indexes = new Map<string, number>();
  #room: AnswerRoom;
  #invalid: InvalidToolCall[] = [];
  #warnings: string[] = [];
  #model: string | undefined;
  #finish: { reason: LanguageModelV3FinishReason; usage: LanguageModelV3Usage } | undefined;

  /** `answers`: a folder for what is too long to keep; null drops it. */
  constructor(provider: string, onDelta?: (delta: StreamDelta) => void, answers: string | null = null) {
    this.#provider = provider;
    this.#room = new AnswerRoom(answers);
    this.#onDelta = onDelta;
  }

  #show(delta: StreamDelta): void {
    if (!this.#onDelta) return;
    this.shown = true;
    this.#onDelta(delta);
  }

  take(part: Part): void {
    switch (part.type) {
      case 'stream-start':
        this.#warnings.push(...part.warnings.map(describeWarning));
        return;
      case 'response-metadata':
        this.#model = part.modelId ?? this.#model;
        return;
      case 'text-start':
        this.#open(`text ${part.id}`, { type: 'text', text: '' }, part.providerMetadata);
        return;
      case 'text-delta':
        this.#say('text', part);
        return;
      case 'reasoning-start':
        this.#open(`thinking ${part.id}`, { type: 'thinking', thinking: '' }, part.providerMetadata);
        return;
      case 'reasoning-delta':
        this.#say('thinking', part);
        return;
      case 'text-end':
        this.#keep(`text ${part.id}`, part.providerMetadata);
        return;
      case 'reasoning-end':
        this.#keep(`thinking ${part.id}`, part.providerMetadata);
        return;
      case 'tool-input-start': {
        const block: ContentBlock = { type: 'tool_call', id: part.id, name: part.toolName, input: {} };
        const index = this.#open(`call ${part.id}`, block, part.providerMetadata);
        this.#show({ type: 'tool_call_start', index, id: part.id, name: part.toolName });
        return;
      }
      case 'tool-input-delta': {
        const index = this.#indexes.get(`call ${part.id}`) ?? 0;
        this.#show({ type: 'tool_call_arguments', index, text: part.delta });
        return;
      }
      case 'tool-call':
        this.#call(part.toolCallId, part.toolName, part.input, part.providerMetadata);
        return;
      case 'finish':
        this.#finish = { reason: part.finishReason, usage: part.usage };
    }
  }

  /** An answer that came in one piece. */
  takeWhole(content: readonly LanguageModelV3Content[]): void {
    content.forEach((part, at) => {
      if (part.type === 'text') {
        this.take({ type: 'text-start', id: `${at}` });
        this.take({ ...part, type: 'text-delta', id: `${at}`, delta: part.text });
      } else if (part.type === 'reasoning') {
        this.take({ type: 'reasoning-start', id: `${at}` });
        this.take({ ...part, type: 'reasoning-delta', id: `${at}`, delta: part.text });
      } else this.take(part);
    });
  }

  /** The whole answer. Throws a `StreamError` when the stream ended without saying that it was done. */
  finish(readUsage: (usage: LanguageModelV3Usage, model: string) => Usage, model: string): ChatResponse {
    const finish = this.#finish;
    if (!finish || (finish.reason.unified === 'other' && finish.reason.raw === undefined)) {
      throw new StreamError(`The answer of ${model} broke off before its end.`, {
        provider: this.#provider,
        model,
      });
    }
    const { note } = this.#room;
    if (note !== '') {
      const last = this.#blocks.findLast((block) => block.type === 'text');
      if (last?.type === 'text') last.text += note;
      else this.#blocks.push({ type: 'text', text: note.trim() });
    }
    const content = this.#blocks.filter((block) => !isEmpty(block)).map((block) => this.#finished(block));
    const tool_calls = content.flatMap((block): ToolCall[] =>
      block.type === 'tool_call' ? [{ id: block.id, name: block.name, arguments: block.input }] : [],
    );
    const answered = this.#model ?? model;
    return {
      content,
      ...(tool_calls.length > 0 ? { tool_calls } : {}),
      usage: readUsage(finish.usage, answered),
      finish_reason: finishReason(finish.reason, tool_calls.length > 0),
      model: answered,
      ...(this.#warnings.length > 0 ? { degradation: this.#warnings } : {}),
      ...(this.#invalid.length > 0 ? { metadata: { invalid_tool_calls: this.#invalid } } : {}),
    };
  }

  #open(key: string, block: ContentBlock, metadata: Metadata): number {
    const index = this.#blocks.push(block) - 1;
    this.#indexes.set(key, index);
    this.#keep(key, metadata);
    return index;
  }

  #say(
    type: 'text' | 'thinking',
    part: { id: string; delta: string; providerMetadata?: SharedV3ProviderMetadata },
  ): void {
    const key = `${type} ${part.id}`;
    const empty: ContentBlock = type === 'text' ? { type, text: '' } : { type, thinking: '' };
    const index = this.#indexes.get(key) ?? this.#open(key, empty, undefined);
    const block = this.#blocks[index] as ContentBlock;
    const text = this.#room.take(part.delta);
    if (block.type === 'text') block.text += text;
    if (block.type === 'thinking') block.thinking += text;
    this.#keep(key, part.providerMetadata);
    if (text !== '') this.#show({ type, index, text });
  }

  #call(id: string, name: string, raw: string, metadata: Metadata): void {
    const key = `call ${id}`;
    let index = this.#indexes.get(key);
    if (index === undefined) {
      index = this.#open(key, { type: 'tool_call', id, name, input: {} }, undefined);
      this.#show({ type: 'tool_call_start', index, id, name });
      this.#show({ type: 'tool_call_arguments', index, text: raw });
    }
    this.#keep(key, metadata);
    const input = parseArguments(raw);
    if (input === null) this.#invalid.push({ id, raw_arguments: raw });
    else (this.#blocks[index] as { input: JsonObject }).input = input;
  }

  /** Keeps what belongs to the vendor with the block it came with, so that it can go back with it. */
  #keep(key: string, metadata: Metadata): void {
    const index = this.#indexes.get(key);
    if (index === undefined || !metadata) return;
    const block = this.#blocks[index] as ContentBlock;
    const merged: JsonObject = { ...(block.provider_metadata as JsonObject | undefined) };
    for (const [vendor, members] of Object.entries(metadata)) {
      merged[vendor] = { ...(merged[vendor] as JsonObject | undefined), ...members };
    }
    block.provider_metadata = merged;
  }

  #finished(block: ContentBlock): ContentBlock {
    if (block.type === 'text' && block.provider_metadata === undefined) return block;
    const owned = { ...block, provider: this.#provider };
    const { anthropic } = (block.provider_metadata ?? {}) as { anthropic?: JsonObject };
    if (owned.type !== 'thinking') return owned;
    if (typeof anthropic?.redactedData === 'string') {
      const { thinking: _, type: __, ...rest } = owned;
      return { ...rest, type: 'redacted_thinking', data: anthropic.redactedData };
    }
    return typeof anthropic?.signature === 'string' ? { ...owned, signature: anthropic.signature } : owned;
  }
}

function isEmpty(block: ContentBlock): boolean {
  if (block.provider_metadata !== undefined && block.type !== 'text') return false;
  return (block.type === 'text' && block.text === '') || (block.type === 'thinking' && block.thinking === '');
}

/** Null for what is no JSON object. No arguments at all is an empty object. */
function parseArguments(raw: string): JsonObject | null {
  if (raw.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(raw);
    return isPlainObject(value) ? value : null;
  } catch {
    return null;
  }
}

function finishReason({ unified }: LanguageModelV3FinishReason, hasCalls: boolean): FinishReason {
  if (unified === 'tool-calls') return 'tool_calls';
  if (unified === 'content-filter') return 'content_filter';
  return unified === 'stop' && hasCalls ? 'tool_calls' : unified;
}

function describeWarning(warning: SharedV3Warning): string {
  if (warning.type === 'other') return warning.message;
  return `${warning.feature} is not supported as asked${warning.details ? `: ${warning.details}` : ''}`;
}
