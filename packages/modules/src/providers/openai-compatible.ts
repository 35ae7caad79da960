import type { LanguageModelV3 } from '@ai-sdk/provider';
import { SHARED_MODELS } from '../defaults.js';
import { modelFacts } from './model-facts.js';
import { readOpenaiListing } from './openai-listing.js';
import type { ProviderSettings } from './provider-settings.js';
import { sameOriginFetch } from './same-origin-fetch.js';
import type { Vendor, VendorCall } from './vendor.js';
import { vendorModule } from './vendor-module.js';

const CAPABILITIES = ['tools', 'streaming', 'thinking', 'vision'];

/** Anything that speaks OpenAI's chat completions: vLLM, LM Studio, OpenRouter, llama.cpp. */
export const openaiCompatible: Vendor = {
  module_id: 'provider-openai-compatible',
  name: 'openai-compatible',
  display_name: 'OpenAI-compatible server',
  credential_env_vars: ['OPENAI_COMPATIBLE_API_KEY'],
  needs_credentials: false,
  base_url_env_vars: ['OPENAI_COMPATIBLE_BASE_URL'],
  default_base_url: null,
  default_model: null,
  capabilities: CAPABILITIES,
  option_keys: ['compatible'],
  takes_thinking_back: false,
  marks_cache: false,
  describeModel: modelFacts,
  open: (settings) => openCompatible(settings, settings.base_url ?? ''),
  callOptions: ({ effort }: VendorCall) => (effort === undefined ? {} : { reasoningEffort: effort }),
  async listModels(ask, { api_key }) {
    const headers: Record<string, string> = api_key === null ? {} : { authorization: `Bearer ${api_key}` };
    return readOpenaiListing(await ask('/models', { headers }), CAPABILITIES);
  },
};

export async function openCompatible(
  { api_key }: ProviderSettings,
  baseURL: string,
): Promise<(model: string) => LanguageModelV3> {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const provider = createOpenAICompatible({
    name: 'compatible',
    baseURL,
    fetch: sameOriginFetch,
    includeUsage: true,
    supportsStructuredOutputs: true,
    ...(api_key === null ? {} : { apiKey: api_key }),
  });
  return (model) =>
    sharedModel(JSON.stringify([baseURL, api_key, model]), () => provider.languageModel(model));
}

/** The way to a model knows nothing of a conversation, and is too large for every session to have its own. */
const models = new Map<string, LanguageModelV3>();

function sharedModel(key: string, make: () => LanguageModelV3): LanguageModelV3 {
  const model = models.get(key) ?? make();
  models.delete(key);
  models.set(key, model);
  const [oldest] = models.keys();
  if (models.size > SHARED_MODELS && oldest !== undefined) models.delete(oldest);
  return model;
}

export const { mount } = vendorModule(openaiCompatible);
