import { type JsonObject, parseBoundedJson } from '@amplifier/core';
import type { Environment } from '../environment.js';
import { HostError } from '../host-error.js';
import { fetchText } from './fetch-text.js';

export interface FoundModel {
  label: string;
  /** The settings entry that uses it. Holds references to variables, never a key. */
  entry: JsonObject & { module: string; id?: string };
  /** All it serves, where that is known. */
  models?: string[];
}

/** A local server answers at once or is not there, and lists some models, not a library. */
const LIMITS = { timeout_ms: 1500, max_bytes: 1024 * 1024 };

/** The model servers of the user's own that answer on this machine now. */
export async function findLocalModels(environment: Environment): Promise<FoundModel[]> {
  const local = await Promise.all([findOllama(environment), ...localServers(environment).map(findServer)]);
  return local.flat();
}

interface LocalServer {
  /** What it is called in the settings: several of one kind are told apart by it. */
  id: string;
  base_url: string;
}

/** Where programs that serve models on one's own machine listen unless told otherwise. */
const USUAL: readonly LocalServer[] = [
  { id: 'lm-studio', base_url: 'http://127.0.0.1:1234/v1' },
  { id: 'llama-cpp', base_url: 'http://127.0.0.1:8080/v1' },
  { id: 'vllm', base_url: 'http://127.0.0.1:8000/v1' },
];

const LABELS: Record<string, string> = { 'lm-studio': 'LM Studio', 'llama-cpp': 'llama.cpp', vllm: 'vLLM' };

/** `AMPLIFIER_LOCAL_SERVERS` names other places instead, as `name=address` with commas between; when it is empty there are none. */
function localServers({ AMPLIFIER_LOCAL_SERVERS: given }: Environment): readonly LocalServer[] {
  if (given === undefined) return USUAL;
  const entries = given.split(',').map((entry) => entry.trim());
  return entries.filter(Boolean).map((entry) => {
    const [, id, base_url] = /^([a-z0-9][a-z0-9-]{0,40})=(https?:\/\/\S+?)\/*$/.exec(entry) ?? [];
    if (id !== undefined && base_url !== undefined) return { id, base_url };
    throw new HostError(
      `AMPLIFIER_LOCAL_SERVERS names a model server as '${entry}'. Write name=address, such as lm-studio=http://127.0.0.1:1234/v1, with commas between several.`,
      { code: 'LOCAL_SERVERS_INVALID' },
    );
  });
}

async function findServer({ id, base_url }: LocalServer): Promise<FoundModel[]> {
  const models = await listed(`${base_url}/models`, 'data', 'id');
  return found(`${LABELS[id] ?? id} at ${base_url}`, models, (default_model) => ({
    module: 'provider-openai-compatible',
    id,
    config: { base_url, default_model },
  }));
}

async function findOllama({ OLLAMA_HOST }: Environment): Promise<FoundModel[]> {
  const given = OLLAMA_HOST || '127.0.0.1:11434';
  const base_url = /^https?:/.test(given) ? given : `http://${given}`;
  const models = await listed(`${base_url}/api/tags`, 'models', 'name');
  return found(`Ollama at ${base_url}`, models, (default_model) => ({
    module: 'provider-ollama',
    config: { base_url, default_model },
  }));
}

function found(where: string, models: string[], entry: (model: string) => FoundModel['entry']): FoundModel[] {
  const [first] = models;
  return first === undefined ? [] : [{ label: `${where}, ${first}`, entry: entry(first), models }];
}

/** The models of a list; none when nobody listens there, or it is no model server: that is an answer, too. */
async function listed(address: string, list: string, name: string): Promise<string[]> {
  try {
    const answer = parseBoundedJson(await fetchText(address, LIMITS), address) as Record<string, unknown>;
    const entries = answer[list] as Record<string, unknown>[];
    return entries.map((entry) => entry[name]).filter((model) => typeof model === 'string');
  } catch {
    return [];
  }
}
