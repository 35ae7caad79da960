import type { Block, Message } from '../api/types.js';

export interface ToolCall {
  id: string;
  name: string;
  input: Record<string, unknown>;
}

/** A message in the parts a person sees. */
export type Part =
  | { kind: 'text'; text: string }
  | { kind: 'reasoning'; text: string }
  | { kind: 'call'; call: ToolCall };

export function partsOf(message: Message): Part[] {
  const { content } = message;
  const parts = typeof content === 'string' ? textPart(content) : content.flatMap(ofBlock);
  const seen = new Set(parts.flatMap((part) => (part.kind === 'call' ? [part.call.id] : [])));
  for (const { id, tool, arguments: input } of message.tool_calls ?? [])
    if (!seen.has(id)) parts.push({ kind: 'call', call: { id, name: tool, input } });
  return parts;
}

function textPart(text: string): Part[] {
  return text.trim() === '' ? [] : [{ kind: 'text', text }];
}

function ofBlock(block: Block): Part[] {
  switch (block.type) {
    case 'text':
      return textPart(block.text ?? '');
    case 'thinking':
      return block.thinking ? [{ kind: 'reasoning', text: block.thinking }] : [];
    case 'reasoning':
      return reasoning(block);
    case 'redacted_thinking':
      return [{ kind: 'reasoning', text: 'The provider keeps this part of the reasoning to itself.' }];
    case 'tool_call':
      return [
        { kind: 'call', call: { id: block.id ?? '', name: block.name ?? 'tool', input: block.input ?? {} } },
      ];
    case 'image':
      return [{ kind: 'text', text: '*[an image]*' }];
    default:
      return [];
  }
}

function reasoning({ content = [], summary = [] }: Block): Part[] {
  const text = [...summary, ...content].map(textIn).filter(Boolean).join('\n\n');
  return text === '' ? [] : [{ kind: 'reasoning', text }];
}

function textIn(value: unknown): string {
  if (typeof value === 'string') return value;
  const text = (value as { text?: unknown } | null)?.text;
  return typeof text === 'string' ? text : '';
}

/** What a tool gave back, by the call it answers. */
export function resultsOf(messages: readonly Message[]): Map<string, unknown> {
  const results = new Map<string, unknown>();
  for (const message of messages) {
    if (message.role === 'tool' && message.tool_call_id) results.set(message.tool_call_id, message.content);
    if (typeof message.content === 'string') continue;
    for (const block of message.content)
      if (block.type === 'tool_result' && block.tool_call_id) results.set(block.tool_call_id, block.output);
  }
  return results;
}

/** Results are often JSON in a text; a person wants what is in it. */
export function readResult(result: unknown): unknown {
  const value = Array.isArray(result) ? result.map(textIn).join('\n') : result;
  if (typeof value !== 'string' || !/^\s*[{[]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

const CONTEXT =
  /^\[PARENT CONVERSATION CONTEXT\]\n([\s\S]*?)\n\[END PARENT CONTEXT\]\s*(?:\[YOUR TASK\]\n)?([\s\S]*)$/;

/** An instruction with what came along from the parent's conversation, apart. */
export function splitContext(text: string): { context: string | null; task: string } {
  const [, context = null, task = text] = CONTEXT.exec(text) ?? [];
  return { context, task };
}
