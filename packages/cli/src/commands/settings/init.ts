import {
  type FoundModel,
  findCodingAgents,
  findModels,
  hostPaths,
  type ProviderTest,
  rolesOf,
  tryProvider,
} from '@amplifier/host';
import type { Cli } from '../../cli.js';
import { openProviders } from '../../open/open-providers.js';
import { changeSetting, chooseScope } from '../../options/choose-scope.js';
import type { Options } from '../../program/bind.js';
import { PROVIDER_KINDS, writeProvider } from './provider-add.js';

/** A guided first run: finds what there is, asks which of it to use, and writes the settings. */
export async function init(cli: Cli, options: Options): Promise<number> {
  const [found, agents] = await Promise.all([findModels(process.env), findCodingAgents(cli.cwd)]);
  const chosen = options.yes || !cli.interactive ? found : await ask(cli, found);
  if (chosen === null) return 130;
  const files: string[] = [];
  for (const { entry } of chosen) files.push(await writeProvider(cli, options, entry));
  const roles = Object.assign({}, ...chosen.map(rolesOf));
  if (Object.keys(roles).length > 0)
    await changeSetting(cli, options, { path: ['routing', 'overrides'], value: roles });
  const tests = chosen.length > 0 && options.test !== false ? await testProviders(cli) : [];
  const file = files[0] ?? hostPaths(cli.cwd).settings[chooseScope(options)];
  if (cli.json) {
    cli.printJson({
      providers: chosen.map(({ entry }) => entry),
      coding_agents: agents,
      roles,
      tests,
      file: files.length > 0 ? file : null,
    });
    return 0;
  }
  for (const { label } of chosen) cli.print(`✓ ${label}`);
  for (const { name, ok, detail } of tests) cli.print(`${ok ? '✓' : '✗'} ${name}: ${detail}`);
  for (const role of Object.keys(roles)) cli.print(`✓ role ${role}: ${roleModel(roles[role])}`);
  for (const { id, program } of agents) cli.print(`✓ coding agent ${id} at ${program}`);
  if (chosen.length === 0) {
    cli.print('Found no key and no local model. Do one of these, then run amplifier init again:');
    cli.print('  export ANTHROPIC_API_KEY=…            (or OPENAI_API_KEY, GEMINI_API_KEY)');
    cli.print('  ollama serve                          (a local model)');
    cli.print('  amplifier provider add openai-compatible --base-url URL --model NAME');
    return 1;
  }
  cli.print(`Written to ${file}. Try it: amplifier run "what does this folder hold?"`);
  return 0;
}

async function ask(cli: Cli, found: readonly FoundModel[]): Promise<FoundModel[] | null> {
  const prompts = await import('@clack/prompts');
  prompts.intro('Amplifier');
  if (found.length > 0) {
    const picked = await prompts.multiselect({
      message: 'These were found. Which should Amplifier use?',
      options: found.map((each, index) => ({ value: index, label: each.label })),
      initialValues: found.map((_, index) => index),
      required: false,
    });
    if (prompts.isCancel(picked)) return null;
    const chosen = found.filter((_, index) => picked.includes(index));
    if (chosen.length > 0) return chosen;
  }
  const kind = await prompts.select({
    message: 'Which provider should Amplifier use?',
    options: [
      ...PROVIDER_KINDS.map((value) => ({ value, label: value })),
      { value: '', label: 'none for now' },
    ],
  });
  if (prompts.isCancel(kind)) return null;
  if (kind === '') return [];
  const local = kind === 'ollama' || kind === 'openai-compatible' || kind === 'azure-openai';
  const base_url = local ? await prompts.text({ message: 'Which base URL?' }) : '';
  if (prompts.isCancel(base_url)) return null;
  const api_key = await prompts.password({ message: 'Its API key (empty for none); it goes to keys.env:' });
  if (prompts.isCancel(api_key)) return null;
  const model = local ? await prompts.text({ message: 'Which model?' }) : '';
  if (prompts.isCancel(model)) return null;
  prompts.outro(cli.color.dim('More with: amplifier provider add'));
  const config = {
    ...(api_key ? { api_key } : {}),
    ...(base_url ? { base_url } : {}),
    ...(model ? { default_model: model } : {}),
  };
  return [{ label: kind, entry: { module: `provider-${kind}`, config } }];
}

/** One short call to each provider that is configured now: what was found is not always what answers. */
async function testProviders(cli: Cli): Promise<ProviderTest[]> {
  const { readings } = await openProviders(cli);
  const results = await Promise.all(readings.map((reading) => tryProvider(reading, undefined)));
  return results.filter(({ configured }) => configured);
}

function roleModel(role: unknown): string {
  const [first] = (role as { candidates: { provider: string; model: string }[] }).candidates;
  return first ? `${first.provider}/${first.model}` : '-';
}
