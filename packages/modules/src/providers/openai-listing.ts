import { isPlainObject, type JsonObject, type ModelInfo } from '@amplifier/core';
import { UNKNOWN_MODEL } from '../defaults.js';
import { modelInfo } from './ai-sdk-provider.js';
import { modelFacts } from './model-facts.js';

/** The listing that OpenAI and all who follow it answer with: `{data: [{id, …}]}`. */
export function readOpenaiListing(body: JsonObject, capabilities: readonly string[]): ModelInfo[] {
  const entries = Array.isArray(body.data) ? body.data.filter(isPlainObject) : [];
  return entries
    .filter((entry) => typeof entry.id === 'string')
    .map((entry) => {
      const id = String(entry.id);
      // Some servers say it themselves: OpenRouter and vLLM, each in its own word.
      const window = Number(entry.context_length ?? entry.max_model_len ?? entry.max_input_tokens);
      const facts = modelFacts(id) ?? UNKNOWN_MODEL;
      const said = Number.isInteger(window) && window > 0 ? { ...facts, context_window: window } : facts;
      const name = typeof entry.display_name === 'string' ? entry.display_name : id;
      return modelInfo(id, said, [...capabilities], name);
    });
}
