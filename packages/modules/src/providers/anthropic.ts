import type { JSONObject } from '@ai-sdk/provider';
import { THINKING_BUDGETS } from '../defaults.js';
import { modelFacts } from './model-facts.js';
import { readOpenaiListing } from './openai-listing.js';
import { sameOriginFetch } from './same-origin-fetch.js';
import type { Vendor, VendorCall } from './vendor.js';
import { vendorModule } from './vendor-module.js';

/** Up to 4.5 a model is given a budget for thinking; later ones are given an effort and adapt. */
const TAKES_BUDGET = /claude-3|claude-(opus|sonnet|haiku)-4(-[0-5])?(-\d{8})?$/;
const CAPABILITIES = ['tools', 'streaming', 'thinking', 'vision', 'prompt_caching'];

export const anthropic: Vendor = {
  module_id: 'provider-anthropic',
  name: 'anthropic',
  display_name: 'Anthropic',
  credential_env_vars: ['ANTHROPIC_API_KEY'],
  needs_credentials: true,
  base_url_env_vars: ['ANTHROPIC_BASE_URL'],
  default_base_url: 'https://api.anthropic.com',
  default_model: 'claude-sonnet-4-5',
  capabilities: CAPABILITIES,
  option_keys: ['anthropic'],
  takes_thinking_back: true,
  marks_cache: true,
  describeModel: modelFacts,
  async open({ api_key, base_url }) {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    const provider = createAnthropic({
      apiKey: api_key ?? '',
      baseURL: versioned(base_url),
      fetch: sameOriginFetch,
    });
    return (model) => provider.languageModel(model);
  },
  callOptions: ({ model, effort }: VendorCall): JSONObject => {
    if (effort === undefined || effort === 'none') return {};
    if (!TAKES_BUDGET.test(model)) return { thinking: { type: 'adaptive' }, effort };
    const budgetTokens = THINKING_BUDGETS[effort] ?? THINKING_BUDGETS.medium ?? 0;
    return { thinking: { type: 'enabled', budgetTokens } };
  },
  async listModels(ask, { api_key, base_url }) {
    const headers = { 'x-api-key': api_key ?? '', 'anthropic-version': '2023-06-01' };
    return readOpenaiListing(
      await ask(`${versioned(base_url)}/models?limit=1000`, { headers }),
      CAPABILITIES,
    );
  },
};

/** Anthropic's own tools take the address without the version, the model layer with it. */
function versioned(base_url: string | null): string {
  const base = base_url ?? '';
  return /\/v\d+$/.test(base) ? base : `${base}/v1`;
}

export const { mount } = vendorModule(anthropic);
