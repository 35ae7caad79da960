import type { JSONObject } from '@ai-sdk/provider';
import { isPlainObject } from '@amplifier/core';
import { THINKING_BUDGETS, UNKNOWN_MODEL } from '../defaults.js';
import { modelInfo } from './ai-sdk-provider.js';
import { modelFacts } from './model-facts.js';
import { sameOriginFetch } from './same-origin-fetch.js';
import type { Vendor } from './vendor.js';
import { vendorModule } from './vendor-module.js';

const CAPABILITIES = ['tools', 'streaming', 'thinking', 'vision', 'prompt_caching'];

export const gemini: Vendor = {
  module_id: 'provider-gemini',
  name: 'gemini',
  display_name: 'Google Gemini',
  credential_env_vars: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'],
  needs_credentials: true,
  base_url_env_vars: ['GEMINI_BASE_URL', 'GOOGLE_GEMINI_BASE_URL'],
  default_base_url: 'https://generativelanguage.googleapis.com/v1beta',
  default_model: 'gemini-2.5-pro',
  capabilities: CAPABILITIES,
  option_keys: ['google'],
  takes_thinking_back: true,
  marks_cache: false,
  describeModel: modelFacts,
  async open({ api_key, base_url }) {
    const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
    const provider = createGoogleGenerativeAI({
      apiKey: api_key ?? '',
      baseURL: base_url ?? '',
      fetch: sameOriginFetch,
    });
    return (model) => provider.languageModel(model);
  },
  callOptions: ({ model, effort }): JSONObject => ({
    thinkingConfig: { includeThoughts: true, ...(effort === undefined ? {} : thinking(model, effort)) },
  }),
  async listModels(ask, { api_key }) {
    const body = await ask('/models?pageSize=1000', { headers: { 'x-goog-api-key': api_key ?? '' } });
    const entries = Array.isArray(body.models) ? body.models.filter(isPlainObject) : [];
    return entries
      .filter((entry) => String(entry.supportedGenerationMethods).includes('generateContent'))
      .map((entry) => {
        const id = String(entry.name).replace(/^models\//, '');
        const facts = {
          context_window: Number(entry.inputTokenLimit) || UNKNOWN_MODEL.context_window,
          max_output_tokens: Number(entry.outputTokenLimit) || UNKNOWN_MODEL.max_output_tokens,
        };
        return modelInfo(id, facts, CAPABILITIES, String(entry.displayName ?? id));
      });
  },
};

/** The second generation takes a budget, later ones a level. */
function thinking(model: string, effort: string): JSONObject {
  if (/gemini-2/.test(model))
    return { thinkingBudget: effort === 'none' ? 0 : (THINKING_BUDGETS[effort] ?? -1) };
  const level = effort === 'none' ? 'minimal' : effort === 'xhigh' || effort === 'max' ? 'high' : effort;
  return { thinkingLevel: level };
}

export const { mount } = vendorModule(gemini);
