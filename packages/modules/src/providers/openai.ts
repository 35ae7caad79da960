import type { JSONObject } from '@ai-sdk/provider';
import { modelFacts } from './model-facts.js';
import { readOpenaiListing } from './openai-listing.js';
import { sameOriginFetch } from './same-origin-fetch.js';
import type { Vendor, VendorCall } from './vendor.js';
import { vendorModule } from './vendor-module.js';

const CAPABILITIES = ['tools', 'streaming', 'thinking', 'vision', 'prompt_caching'];

export const openai: Vendor = {
  module_id: 'provider-openai',
  name: 'openai',
  display_name: 'OpenAI',
  credential_env_vars: ['OPENAI_API_KEY'],
  needs_credentials: true,
  base_url_env_vars: ['OPENAI_BASE_URL'],
  default_base_url: 'https://api.openai.com/v1',
  default_model: 'gpt-5',
  capabilities: CAPABILITIES,
  option_keys: ['openai'],
  takes_thinking_back: true,
  marks_cache: false,
  describeModel: modelFacts,
  async open({ api_key, base_url, config }) {
    const { createOpenAI } = await import('@ai-sdk/openai');
    const provider = createOpenAI({ apiKey: api_key ?? '', baseURL: base_url ?? '', fetch: sameOriginFetch });
    return (model) => (config.api === 'chat' ? provider.chat(model) : provider.responses(model));
  },
  callOptions: responsesOptions,
  async listModels(ask, { api_key }) {
    const headers = { authorization: `Bearer ${api_key}` };
    return readOpenaiListing(await ask('/models', { headers }), CAPABILITIES);
  },
};

/**
 * Nothing is stored at the vendor: the session log is the only memory. Reasoning therefore travels sealed within the
 * conversation.
 */
export function responsesOptions({ effort, request, settings }: VendorCall): JSONObject {
  return {
    store: false,
    parallelToolCalls: true,
    ...(effort === undefined ? {} : { reasoningEffort: effort }),
    ...(settings.config.api === 'chat' ? {} : { reasoningSummary: 'auto' }),
    ...(request.conversation_id === undefined ? {} : { promptCacheKey: request.conversation_id }),
  };
}

export const { mount } = vendorModule(openai);
