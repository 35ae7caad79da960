import type { ContentBlock, Message } from '@amplifier/core';
import type { NewMessage } from '@amplifier/sessions';

/** What a session is told at the beginning of a turn, with what goes along. */
export function instructionMessage(text: string, attached: readonly ContentBlock[]): NewMessage {
  return { role: 'user', content: instructionContent(text, attached), metadata: { kind: 'instruction' } };
}

export function instructionContent(text: string, attached: readonly ContentBlock[]): Message['content'] {
  return attached.length === 0 ? text : [{ type: 'text', text }, ...attached];
}

/** The two as they were, from a message that `instructionMessage` made. */
export function readInstruction(content: Message['content']): {
  instruction: string;
  attached: ContentBlock[];
} {
  if (typeof content === 'string') return { instruction: content, attached: [] };
  const [first, ...attached] = content;
  return { instruction: first?.type === 'text' ? first.text : '', attached };
}
