import type { JsonObject } from '@amplifier/host';

export interface FoundModel {
  label: string;
  /** The settings entry that uses it. Holds references to variables, never a key. */
  entry: JsonObject & { module: string };
  /** All it serves, where that is known. */
  models?: string[];
}

const KEYS: readonly [string, string, string][] = [
  ['ANTHROPIC_API_KEY', 'provider-anthropic', 'Anthropic'],
  ['OPENAI_API_KEY', 'provider-openai', 'OpenAI'],
  ['GEMINI_API_KEY', 'provider-gemini', 'Gemini'],
  ['GOOGLE_API_KEY', 'provider-gemini', 'Gemini'],
];

/** A local server answers at once or is not there. */
const LOCAL_TIMEOUT_MS = 1500;

/** Keys in the environment, and a model server of the user's own on this machine. */
export async function findModels(environment: NodeJS.ProcessEnv): Promise<FoundModel[]> {
  const keyed = KEYS.filter(([name]) => environment[name]).map(([name, module, label]) => ({
    label: `${label}, key in ${name}`,
    entry: { module, config: { api_key: `\${${name}}` } },
  }));
  const modules = new Set<string>();
  const first = keyed.filter(({ entry }) => !modules.has(entry.module) && modules.add(entry.module));
  const local = await Promise.all([
    findOllama(environment),
    ...LOCAL_SERVERS.map(([label, base_url]) => findLocalServer(label, base_url)),
  ]);
  return [...first, ...local.flat()];
}

/** Where programs that serve models on one's own machine listen unless told otherwise. */
const LOCAL_SERVERS: readonly [string, string][] = [
  ['LM Studio', 'http://127.0.0.1:1234/v1'],
  ['llama.cpp', 'http://127.0.0.1:8080/v1'],
  ['vLLM', 'http://127.0.0.1:8000/v1'],
];

async function findLocalServer(label: string, base_url: string): Promise<FoundModel[]> {
  try {
    const answer = await fetch(`${base_url}/models`, { signal: AbortSignal.timeout(LOCAL_TIMEOUT_MS) });
    const { data = [] } = (await answer.json()) as { data?: { id: string }[] };
    const [model] = data;
    if (!model) return [];
    const entry = { module: 'provider-openai-compatible', config: { base_url, default_model: model.id } };
    return [{ label: `${label} at ${base_url}, ${model.id}`, entry, models: data.map(({ id }) => id) }];
  } catch {
    return []; // Nobody listens there, or it is no model server.
  }
}

/** Small enough to be quick, by what vendors put into names. */
const SMALL = /\b(mini|small|tiny|nano|[0-4](\.\d)?b)\b/i;
const CODING = /cod(e|er|ing|estral)/i;

/** Which of several models of one server serve which role; the others are served by its default. */
export function rolesOf({ entry, models = [] }: FoundModel): Record<string, JsonObject> {
  const provider = entry.module.replace(/^provider-/, '');
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

async function findOllama(environment: NodeJS.ProcessEnv): Promise<FoundModel[]> {
  const given = environment.OLLAMA_HOST || '127.0.0.1:11434';
  const base_url = /^https?:/.test(given) ? given : `http://${given}`;
  try {
    const answer = await fetch(`${base_url}/api/tags`, { signal: AbortSignal.timeout(LOCAL_TIMEOUT_MS) });
    const { models = [] } = (await answer.json()) as { models?: { name: string }[] };
    const [model] = models;
    if (!model) return [];
    const entry = { module: 'provider-ollama', config: { base_url, default_model: model.name } };
    return [{ label: `Ollama at ${base_url}, ${model.name}`, entry, models: models.map(({ name }) => name) }];
  } catch {
    return []; // Nobody listens there: that is an answer, too.
  }
}
