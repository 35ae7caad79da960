import type {
  LanguageModelV3FilePart,
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  LanguageModelV3TextPart,
  LanguageModelV3ToolResultOutput,
  LanguageModelV3ToolResultPart,
  SharedV3ProviderOptions,
} from '@ai-sdk/provider';
import { type ContentBlock, isPlainObject, type Message, textOf } from '@amplifier/core';
import type { Vendor } from './vendor.js';

type AssistantPart = Extract<LanguageModelV3Message, { role: 'assistant' }>['content'][number];
type Speaker = Pick<Vendor, 'name' | 'option_keys' | 'takes_thinking_back'>;

/**
 * Our messages in the form of the model layer.
 *
 * Only leading system messages are system messages there: a later one becomes a marked note from the user, because
 * most vendors refuse it elsewhere. What another vendor left in a block (signatures, thinking) is not sent to this one.
 */
export function toPrompt(messages: readonly Message[], vendor: Speaker): LanguageModelV3Prompt {
  const prompt: LanguageModelV3Prompt = [];
  const toolNames = new Map<string, string>();
  let leading = true;
  for (const message of messages) {
    const isSystem = message.role === 'system' || message.role === 'developer';
    if (isSystem && leading) {
      prompt.push({ role: 'system', content: textOf(message.content) });
      continue;
    }
    leading = false;
    if (isSystem) prompt.push(systemNote(message));
    else if (message.role === 'user') prompt.push({ role: 'user', content: userParts(message) });
    else if (message.role === 'assistant') pushAssistant(prompt, message, vendor, toolNames);
    else pushToolResult(prompt, message, toolNames);
  }
  return prompt;
}

function systemNote(message: Message): LanguageModelV3Message {
  const text = `<system-reminder>\n${textOf(message.content)}\n</system-reminder>`;
  return { role: 'user', content: [{ type: 'text', text }] };
}

function userParts(message: Message): (LanguageModelV3TextPart | LanguageModelV3FilePart)[] {
  if (typeof message.content === 'string') return [{ type: 'text', text: message.content }];
  const parts = message.content.flatMap((block): (LanguageModelV3TextPart | LanguageModelV3FilePart)[] => {
    if (block.type === 'text') return [{ type: 'text', text: block.text }];
    const image = block.type === 'image' ? readImage(block.source) : null;
    return image ? [{ type: 'file', data: image.data, mediaType: image.media_type }] : [];
  });
  return parts.length > 0 ? parts : [{ type: 'text', text: '' }];
}

function pushAssistant(
  prompt: LanguageModelV3Prompt,
  message: Message,
  vendor: Speaker,
  toolNames: Map<string, string>,
): void {
  const blocks: ContentBlock[] =
    typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
  const parts = blocks.flatMap((block) => assistantPart(block, vendor));
  const told = new Set(parts.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : [])));
  for (const call of message.tool_calls ?? []) {
    const toolCallId = wireId(call.id);
    if (!told.has(toolCallId))
      parts.push({ type: 'tool-call', toolCallId, toolName: call.tool, input: call.arguments });
  }
  for (const part of parts) if (part.type === 'tool-call') toolNames.set(part.toolCallId, part.toolName);
  if (parts.length > 0) prompt.push({ role: 'assistant', content: parts });
}

function assistantPart(block: ContentBlock, vendor: Speaker): AssistantPart[] {
  const options = ownOptions(block, vendor);
  switch (block.type) {
    case 'text':
      return block.text === '' ? [] : [{ type: 'text', text: block.text, ...options }];
    case 'tool_call':
      return [
        {
          type: 'tool-call',
          toolCallId: wireId(block.id),
          toolName: block.name,
          input: block.input,
          ...options,
        },
      ];
    case 'thinking':
      return isOwn(block, vendor) ? [{ type: 'reasoning', text: block.thinking, ...options }] : [];
    case 'redacted_thinking':
      return isOwn(block, vendor) ? [{ type: 'reasoning', text: '', ...options }] : [];
    default:
      return [];
  }
}

function isOwn(block: ContentBlock, vendor: Speaker): boolean {
  return vendor.takes_thinking_back && block.provider === vendor.name;
}

/** What this vendor left in the block, in the place where the model layer looks for it. */
function ownOptions(block: ContentBlock, vendor: Speaker): { providerOptions?: SharedV3ProviderOptions } {
  if (block.provider !== vendor.name || !isPlainObject(block.provider_metadata)) return {};
  return { providerOptions: block.provider_metadata as SharedV3ProviderOptions };
}

/** Neighbouring results become one message, as the vendors want the results of one batch. */
function pushToolResult(
  prompt: LanguageModelV3Prompt,
  message: Message,
  toolNames: ReadonlyMap<string, string>,
): void {
  const toolCallId = wireId(message.tool_call_id ?? '');
  const part: LanguageModelV3ToolResultPart = {
    type: 'tool-result',
    toolCallId,
    toolName: message.name ?? toolNames.get(toolCallId) ?? 'unknown',
    output: toolOutput(message),
  };
  const last = prompt.at(-1);
  if (last?.role === 'tool') last.content.push(part);
  else prompt.push({ role: 'tool', content: [part] });
}

function toolOutput(message: Message): LanguageModelV3ToolResultOutput {
  const { content } = message;
  const images =
    typeof content === 'string'
      ? []
      : content.flatMap((block) => (block.type === 'image' ? (readImage(block.source) ?? []) : []));
  const text = textOf(content);
  if (images.length === 0) {
    return { type: message.metadata?.success === false ? 'error-text' : 'text', value: text };
  }
  return {
    type: 'content',
    value: [
      ...(text === '' ? [] : [{ type: 'text' as const, text }]),
      ...images.map(({ data, media_type }) =>
        data instanceof URL
          ? { type: 'image-url' as const, url: data.href }
          : { type: 'image-data' as const, data, mediaType: media_type },
      ),
    ],
  };
}

/** `{type: 'base64', media_type, data}` or `{type: 'url', url}`. */
function readImage(source: Record<string, unknown>): { data: string | URL; media_type: string } | null {
  const media_type = typeof source.media_type === 'string' ? source.media_type : 'image/*';
  if (typeof source.data === 'string') return { data: source.data, media_type };
  if (typeof source.url === 'string' && URL.canParse(source.url))
    return { data: new URL(source.url), media_type };
  return null;
}

/** Ids made up by one vendor may hold characters another refuses. */
function wireId(id: string): string {
  return id.replace(/[^A-Za-z0-9_-]/g, '_');
}
