import { modelFacts } from './model-facts.js';
import { responsesOptions } from './openai.js';
import { readOpenaiListing } from './openai-listing.js';
import { sameOriginFetch } from './same-origin-fetch.js';
import type { Vendor } from './vendor.js';
import { vendorModule } from './vendor-module.js';

const CAPABILITIES = ['tools', 'streaming', 'thinking', 'vision', 'prompt_caching'];

/** `default_model` is the name of a deployment; `base_url` is `https://RESOURCE.openai.azure.com/openai/v1`. */
export const azureOpenai: Vendor = {
  module_id: 'provider-azure-openai',
  name: 'azure-openai',
  display_name: 'Azure OpenAI',
  credential_env_vars: ['AZURE_OPENAI_API_KEY', 'AZURE_API_KEY'],
  needs_credentials: true,
  base_url_env_vars: ['AZURE_OPENAI_BASE_URL', 'AZURE_OPENAI_ENDPOINT'],
  default_base_url: null,
  default_model: null,
  capabilities: CAPABILITIES,
  option_keys: ['azure', 'openai'],
  takes_thinking_back: true,
  marks_cache: false,
  describeModel: modelFacts,
  async open({ api_key, base_url, config }) {
    const { createAzure } = await import('@ai-sdk/azure');
    const { api_version, api } = config;
    const provider = createAzure({
      apiKey: api_key ?? '',
      baseURL: azureBase(base_url),
      fetch: sameOriginFetch,
      ...(typeof api_version === 'string' ? { apiVersion: api_version, useDeploymentBasedUrls: true } : {}),
    });
    return (model) => (api === 'chat' ? provider.chat(model) : provider.responses(model));
  },
  callOptions: responsesOptions,
  async listModels(ask, { api_key, base_url }) {
    const headers = { 'api-key': api_key ?? '' };
    return readOpenaiListing(await ask(`${azureBase(base_url)}/models`, { headers }), CAPABILITIES);
  },
};

/** The portal shows the bare endpoint; the interface is below it. */
function azureBase(base_url: string | null): string {
  const base = base_url ?? '';
  return new URL(base).pathname === '/' ? `${base}/openai/v1` : base;
}

export const { mount } = vendorModule(azureOpenai);
