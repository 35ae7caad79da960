import { hostPaths, type JsonObject, loadSettings, moduleSpec } from '@amplifier/host';
import type { Cli } from '../../cli.js';
import { changeSetting, chooseScope } from '../../options/choose-scope.js';
import { readPrompt } from '../../options/read-prompt.js';
import { text, whole } from '../../options/session-options.js';
import type { Options } from '../../program/bind.js';
import { UsageError } from '../../usage-error.js';

export const PROVIDER_KINDS = [
  'anthropic',
  'openai',
  'gemini',
  'azure-openai',
  'ollama',
  'openai-compatible',
];

/** Writes a provider to the settings. A key goes to keys.env, and the settings refer to it. */
export async function providerAdd(cli: Cli, kind: string, options: Options): Promise<number> {
  const short = kind.replace(/^provider-/, '');
  if (!PROVIDER_KINDS.includes(short))
    throw new UsageError(`There is no provider kind '${kind}'. Choose one of: ${PROVIDER_KINDS.join(', ')}.`);
  const key = options.apiKey === '-' ? await readPrompt(['-']) : text(options.apiKey);
  const config: JsonObject = {
    ...(key === undefined ? {} : { api_key: key }),
    ...(text(options.baseUrl) ? { base_url: text(options.baseUrl) } : {}),
    ...(text(options.model) ? { default_model: text(options.model) } : {}),
    ...(options.priority === undefined ? {} : { priority: whole('--priority', options.priority, 0) }),
  };
  const id = text(options.id);
  const entry = {
    module: `provider-${short}`,
    ...(id ? { id } : {}),
    ...(Object.keys(config).length > 0 ? { config } : {}),
  };
  const file = await writeProvider(cli, options, entry);
  if (cli.json) cli.printJson({ provider: id ?? short, file });
  else cli.say(`Added ${id ?? short} to ${file}. Test it with: amplifier provider test ${id ?? short}`);
  return 0;
}

/** Puts the entry in the list of its scope, in the place of one it is the same as. */
export async function writeProvider(
  cli: Cli,
  options: Options,
  entry: JsonObject & { module: string; id?: string },
): Promise<string> {
  const { scopes } = await loadSettings(hostPaths(cli.cwd).settings);
  const list = scopes[chooseScope(options)]?.config?.providers ?? [];
  const same = (other: unknown) => {
    const spec = moduleSpec(other);
    return spec !== null && (spec.id ?? spec.module) === (entry.id ?? entry.module);
  };
  const at = list.findIndex(same);
  const providers = at === -1 ? [...list, entry] : list.with(at, entry);
  return changeSetting(cli, options, { path: ['config', 'providers'], value: providers });
}
