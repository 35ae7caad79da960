import type { ChatRequest, JsonObject } from '@amplifier/core';
import { describe, expect, it } from 'vitest';
import { anthropic } from './anthropic.js';
import { callOptions } from './call-options.js';
import { gemini } from './gemini.js';
import { openai } from './openai.js';
import { openaiCompatible } from './openai-compatible.js';
import type { ProviderSettings } from './provider-settings.js';
import { readSettings } from './settings.js';
import type { Vendor } from './vendor.js';

function settings(vendor: Vendor, config: JsonObject = {}): ProviderSettings {
  const reading = readSettings(vendor, { api_key: 'k', base_url: 'http://127.0.0.1', ...config }, {});
  if (!reading.ok) throw new Error(reading.message);
  return reading.settings;
}

const REQUEST: ChatRequest = {
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Hello.' },
    { role: 'user', content: 'Go on' },
    { role: 'system', content: 'Only now.', metadata: { ephemeral: true } },
  ],
};

describe('prompt caching', () => {
  const marked = (vendor: Vendor, config?: JsonObject) =>
    callOptions(vendor, settings(vendor, config), REQUEST, 'm').prompt.flatMap((message, index) =>
      JSON.stringify(message.providerOptions ?? {}).includes('cacheControl') ? [index] : [],
    );

  it('marks the system prompt and the last message that stays, never what passes', () => {
    expect(marked(anthropic)).toEqual([0, 3]);
  });

  it('can be turned off, and is left to vendors that do it by themselves', () => {
    expect(marked(anthropic, { enable_prompt_caching: false })).toEqual([]);
    expect(marked(openai)).toEqual([]);
  });

  it('names the conversation where the vendor routes by it', () => {
    const call = callOptions(openai, settings(openai), { ...REQUEST, conversation_id: 's1' }, 'gpt-5');
    expect(call.providerOptions?.openai).toMatchObject({ store: false, promptCacheKey: 's1' });
  });
});

describe('reasoning effort', () => {
  it.each([
    [anthropic, 'claude-sonnet-4-5-20250929', { thinking: { type: 'enabled', budgetTokens: 24_000 } }],
    [anthropic, 'claude-opus-4-6', { thinking: { type: 'adaptive' }, effort: 'high' }],
    [openai, 'gpt-5', { reasoningEffort: 'high' }],
    [gemini, 'gemini-2.5-pro', { thinkingConfig: { includeThoughts: true, thinkingBudget: 24_000 } }],
    [gemini, 'gemini-3-pro-preview', { thinkingConfig: { includeThoughts: true, thinkingLevel: 'high' } }],
    [openaiCompatible, 'anything', { reasoningEffort: 'high' }],
  ])('is said to $name in its own way (%s)', (vendor, model, options) => {
    const fromRequest = callOptions(
      vendor,
      settings(vendor),
      { ...REQUEST, reasoning_effort: 'high' },
      model,
    );
    expect(fromRequest.providerOptions?.[vendor.option_keys[0]]).toMatchObject(options);
    const fromConfig = callOptions(vendor, settings(vendor, { reasoning_effort: 'high' }), REQUEST, model);
    expect(fromConfig.providerOptions).toEqual(fromRequest.providerOptions);
  });
});

it('takes from the settings what the request leaves open', () => {
  const config = settings(openai, { temperature: '0.5', max_tokens: 100 });
  expect(callOptions(openai, config, REQUEST, 'm')).toMatchObject({ temperature: 0.5, maxOutputTokens: 100 });
  const asked = { ...REQUEST, temperature: 0, max_output_tokens: 5, stop: ['END'] };
  expect(callOptions(openai, config, asked, 'm')).toMatchObject({
    temperature: 0,
    maxOutputTokens: 5,
    stopSequences: ['END'],
  });
});

it('asks for JSON by schema, and for one tool by name', () => {
  const schema = { type: 'object', properties: { ok: { type: 'boolean' } } };
  const request: ChatRequest = {
    ...REQUEST,
    response_format: { type: 'json_schema', name: 'verdict', schema },
    tools: [{ name: 'look', parameters: {} }],
    tool_choice: { name: 'look' },
  };
  expect(callOptions(openai, settings(openai), request, 'm')).toMatchObject({
    responseFormat: { type: 'json', name: 'verdict', schema },
    tools: [{ name: 'look', inputSchema: { type: 'object', properties: {} } }],
    toolChoice: { type: 'tool', toolName: 'look' },
  });
});
