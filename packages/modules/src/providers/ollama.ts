import { isPlainObject, type JsonObject } from '@amplifier/core';
import { UNKNOWN_MODEL } from '../defaults.js';
import { modelInfo } from './ai-sdk-provider.js';
import { openaiCompatible, openCompatible } from './openai-compatible.js';
import type { Vendor } from './vendor.js';
import { vendorModule } from './vendor-module.js';

/** Ollama through its OpenAI-compatible address; what models there are, and how large, through its own. */
export const ollama: Vendor = {
  ...openaiCompatible,
  module_id: 'provider-ollama',
  name: 'ollama',
  display_name: 'Ollama',
  credential_env_vars: ['OLLAMA_API_KEY'],
  base_url_env_vars: ['OLLAMA_BASE_URL', 'OLLAMA_HOST'],
  default_base_url: 'http://127.0.0.1:11434',
  default_model: 'llama3.2',
  is_free: true,
  describeModel: () => null,
  open: (settings) => openCompatible(settings, `${root(settings.base_url)}/v1`),
  async sees(model, ask, { api_key, base_url }) {
    const { capabilities } = await ask(`${root(base_url)}/api/show`, {
      headers: bearer(api_key),
      body: { model },
    });
    return !Array.isArray(capabilities) || capabilities.includes('vision');
  },
  async listModels(ask, { api_key, base_url }) {
    const headers = bearer(api_key);
    const base = root(base_url);
    const { models } = await ask(`${base}/api/tags`, { headers });
    const names = Array.isArray(models) ? models.filter(isPlainObject).map(({ name }) => String(name)) : [];
    return Promise.all(
      names.map(async (name) => {
        const shown = await ask(`${base}/api/show`, { headers, body: { model: name } });
        const abilities = Array.isArray(shown.capabilities) ? shown.capabilities.map(String) : [];
        const context_window = contextLength(shown) ?? UNKNOWN_MODEL.context_window;
        return modelInfo(name, { ...UNKNOWN_MODEL, context_window }, abilities);
      }),
    );
  },
};

function bearer(api_key: string | null): Record<string, string> {
  return api_key === null ? {} : { authorization: `Bearer ${api_key}` };
}

/** `OLLAMA_HOST` is often just `host:port`, and a base URL may already name the compatible address. */
function root(base_url: string | null): string {
  const base = (base_url ?? '').replace(/\/v1$/, '');
  return /^https?:/.test(base) ? base : `http://${base}`;
}

/** The length stands under the architecture's name, such as `llama.context_length`. */
function contextLength({ model_info }: JsonObject): number | null {
  if (!isPlainObject(model_info)) return null;
  const [, length] = Object.entries(model_info).find(([key]) => key.endsWith('.context_length')) ?? [];
  return typeof length === 'number' ? length : null;
}

export const { mount } = vendorModule(ollama);
