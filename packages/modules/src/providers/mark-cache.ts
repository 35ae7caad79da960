import type { LanguageModelV3Prompt, SharedV3ProviderOptions } from '@ai-sdk/provider';
import type { Message } from '@amplifier/core';

const BREAKPOINT: SharedV3ProviderOptions = { anthropic: { cacheControl: { type: 'ephemeral' } } };

/**
 * Marks where the part of a prompt ends that the next request will repeat: the system prompt, and the last message
 * that stays. `passing` says how many messages at the end are for this request only.
 */
export function markCache(prompt: LanguageModelV3Prompt, passing: number): LanguageModelV3Prompt {
  const system = prompt.findLastIndex((message) => message.role === 'system');
  const last = prompt.length - 1 - passing;
  const marks = new Set([system, last].filter((index) => index >= 0));
  return prompt.map((message, index) =>
    marks.has(index)
      ? { ...message, providerOptions: { ...message.providerOptions, ...BREAKPOINT } }
      : message,
  );
}

/** How many messages at the end exist for one request only. */
export function passingMessages(messages: readonly Message[]): number {
  const lastKept = messages.findLastIndex((message) => message.metadata?.ephemeral !== true);
  return messages.length - 1 - lastKept;
}
