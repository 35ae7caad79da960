import type { JsonObject } from '@amplifier/core';
import type { Environment } from '../environment.js';
import { type FoundModel, findLocalModels } from './find-local-models.js';

const KEYS: readonly [string, string, string][] = [
  ['ANTHROPIC_API_KEY', 'provider-anthropic', 'Anthropic'],
  ['OPENAI_API_KEY', 'provider-openai', 'OpenAI'],
  ['GEMINI_API_KEY', 'provider-gemini', 'Gemini'],
  ['GOOGLE_API_KEY', 'provider-gemini', 'Gemini'],
];

/** Keys in the environment, and a model server of the user's own on this machine. */
export async function findModels(environment: Environment): Promise<FoundModel[]> {
  const keyed = KEYS.filter(([name]) => environment[name]).map(([name, module, label]) => ({
    label: `${label}, key in ${name}`,
    entry: { module, config: { api_key: `\${${name}}` } },
  }));
  const modules = new Set<string>();
  const first = keyed.filter(({ entry }) => !modules.has(entry.module) && modules.add(entry.module));
  return [...first, ...(await findLocalModels(environment))];
}

/** Small enough to be quick, by what vendors put into names. */
const SMALL = /\b(mini|small|tiny|nano|[0-4](\.\d)?b)\b/i;
const CODING = /cod(e|er|ing|estral)/i;

/** Which of several models of one server serve which role; the others are served by its default. */
export function rolesOf({ entry, models = [] }: FoundModel): Record<string, JsonObject> {
  const provider = entry.id ?? entry.module.replace(/^provider-/, '');
  const fast = models.find((model) => SMALL.test(model));
  const coding = models.find((model) => CODING.test(model));
  const role = (model: string, description: string) => ({
    description,
    candidates: [{ provider, model }],
  });
  return {
    ...(fast === undefined ? {} : { fast: role(fast, 'Quick and cheap work') }),
    ...(coding === undefined ? {} : { coding: role(coding, 'Writing and changing code') }),
  };
}
