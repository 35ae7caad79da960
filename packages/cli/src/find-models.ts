import type { JsonObject } from '@amplifier/host';

export interface FoundModel {
  label: string;
  /** The settings entry that uses it. Holds references to variables, never a key. */
  entry: JsonObject & { module: string };
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
  return [...first, ...(await findOllama(environment))];
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
    return [{ label: `Ollama at ${base_url}, ${model.name}`, entry }];
  } catch {
    return []; // Nobody listens there: that is an answer, too.
  }
}
