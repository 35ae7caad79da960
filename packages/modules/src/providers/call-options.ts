import type {
  JSONSchema7,
  LanguageModelV3CallOptions,
  LanguageModelV3FunctionTool,
  LanguageModelV3Prompt,
  LanguageModelV3ToolChoice,
  SharedV3ProviderOptions,
} from '@ai-sdk/provider';
import type { ChatRequest, Message } from '@amplifier/core';
import type { ProviderSettings } from './provider-settings.js';
import { toPrompt } from './to-prompt.js';
import type { Vendor } from './vendor.js';

/** One request in the form of the model layer. What the request leaves open is taken from the settings. */
export function callOptions(
  vendor: Vendor,
  settings: ProviderSettings,
  request: ChatRequest,
  model: string,
): LanguageModelV3CallOptions {
  const plain = toPrompt(request.messages, vendor);
  const prompt =
    vendor.marks_cache && settings.prompt_caching
      ? markCache(plain, passingMessages(request.messages))
      : plain;
  const effort = request.reasoning_effort ?? settings.reasoning_effort;
  const own = vendor.callOptions({ model, effort, request, settings });
  const temperature = request.temperature ?? settings.temperature;
  const maxOutputTokens = request.max_output_tokens ?? settings.max_output_tokens;
  const tools = request.tools ?? [];
  return {
    prompt,
    providerOptions: Object.fromEntries(vendor.option_keys.map((key) => [key, own])),
    headers: settings.headers,
    ...(tools.length > 0 ? { tools: tools.map(toolOf), toolChoice: toolChoice(request.tool_choice) } : {}),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(request.top_p === undefined ? {} : { topP: request.top_p }),
    ...(request.stop === undefined ? {} : { stopSequences: request.stop }),
    ...responseFormat(request.response_format),
  };
}

function toolOf({
  name,
  description,
  parameters,
}: NonNullable<ChatRequest['tools']>[number]): LanguageModelV3FunctionTool {
  const inputSchema = { type: 'object', properties: {}, ...parameters } as JSONSchema7;
  return { type: 'function', name, inputSchema, ...(description === undefined ? {} : { description }) };
}

function toolChoice(choice: ChatRequest['tool_choice']): LanguageModelV3ToolChoice {
  if (choice === undefined) return { type: 'auto' };
  return typeof choice === 'string' ? { type: choice } : { type: 'tool', toolName: choice.name };
}

function responseFormat(
  format: ChatRequest['response_format'],
): Pick<LanguageModelV3CallOptions, 'responseFormat'> {
  if (!format || format.type === 'text') return {};
  if (format.type === 'json') return { responseFormat: { type: 'json' } };
  const { name, schema } = format;
  return {
    responseFormat: { type: 'json', schema: schema as JSONSchema7, ...(name === undefined ? {} : { name }) },
  };
}

const BREAKPOINT: SharedV3ProviderOptions = { anthropic: { cacheControl: { type: 'ephemeral' } } };

/**
 * Marks where the part of a prompt ends that the next request will repeat: the system prompt, and the last message
 * that stays. `passing` says how many messages at the end are for this request only.
 */
function markCache(prompt: LanguageModelV3Prompt, passing: number): LanguageModelV3Prompt {
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
function passingMessages(messages: readonly Message[]): number {
  const lastKept = messages.findLastIndex((message) => message.metadata?.ephemeral !== true);
  return messages.length - 1 - lastKept;
}
