import { type Message, shorten, textOf } from '@amplifier/core';
import { z } from 'zod';
import { CONTEXT_SCOPES } from '../choices.js';
import { TOOL_RESULT_CHARACTERS } from '../defaults.js';

export const ContextScope = z.enum(CONTEXT_SCOPES);
export type ContextScope = z.infer<typeof ContextScope>;

export const TRUNCATED = '... [truncated]';
const DELEGATING_TOOLS = new Set(['delegate', 'task']);

/** The text of a message that a child in this scope gets to read; null and the reason when it gets none. */
export function inScope(message: Message, scope: ContextScope): { text: string | null; why: string } {
  const { role, name = 'unknown' } = message;
  if (isMachineMade(message)) return left('put there by the runtime, not said by anybody');
  if (role === 'tool' || message.tool_call_id !== undefined) {
    if (scope === 'full')
      return taken(
        `[Tool Result from ${name}]: ${shorten(textOf(message.content), TOOL_RESULT_CHARACTERS, TRUNCATED)}`,
      );
    if (scope === 'agents' && DELEGATING_TOOLS.has(name))
      return taken(`[Agent Result from ${name}]: ${textOf(message.content)}`);
    return left(`tool results are not in the scope '${scope}'`);
  }
  if (role !== 'user' && role !== 'assistant') return left(`${role} messages are never passed on`);
  const text = textOf(message.content);
  return text.trim() === '' ? left('it has no text') : taken(text);
}

/** Hooks and the runtime speak in the user's role at times; those words are not the user's. */
export function isMachineMade({ metadata }: Message): boolean {
  return metadata?.source === 'hook' || metadata?.source === 'runtime';
}

function taken(text: string): { text: string; why: string } {
  return { text, why: '' };
}

function left(why: string): { text: null; why: string } {
  return { text: null, why };
}
