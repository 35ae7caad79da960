import { hostPaths, type JsonObject } from '@amplifier/host';
import { chooseScope } from '../choose-scope.js';
import type { Cli } from '../cli.js';
import { findCodingAgents } from '../find-coding-agents.js';
import { type FoundModel, findModels } from '../find-models.js';
import type { Options } from '../program.js';
import { writeProvider } from './provider-add.js';

/** A guided first run: finds what there is, asks which of it to use, and writes the settings. */
export async function init(cli: Cli, options: Options): Promise<number> {
  const [found, agents] = await Promise.all([findModels(process.env), findCodingAgents(cli.cwd)]);
  const chosen = options.yes || !cli.interactive ? found : await ask(cli, found);
  if (chosen === null) return 130;
  const files: string[] = [];
  for (const { entry } of chosen) files.push(await writeProvider(cli, options, entry));
  const file = files[0] ?? hostPaths(cli.cwd).settings[chooseScope(options)];
  if (cli.json) {
    cli.printJson({
      providers: chosen.map(({ entry }) => entry),
      coding_agents: agents,
      file: files.length > 0 ? file : null,
    });
    return 0;
  }
  for (const { label } of chosen) cli.print(`✓ ${label}`);
  for (const { id, program } of agents) cli.print(`✓ coding agent ${id} at ${program}`);
  if (chosen.length === 0) {
    cli.print('No key and no local model was found. Do one of these, then run amplifier init again:');
    cli.print('  export ANTHROPIC_API_KEY=…            (or OPENAI_API_KEY, GEMINI_API_KEY)');
    cli.print('  ollama serve                          (a model of your own, on this machine)');
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
  const key = await prompts.password({
    message: 'An Anthropic API key (empty for none); it goes to keys.env:',
  });
  if (prompts.isCancel(key)) return null;
  prompts.outro(cli.color.dim('More with: amplifier provider add'));
  if (!key) return [];
  const entry: JsonObject & { module: string } = { module: 'provider-anthropic', config: { api_key: key } };
  return [{ label: 'Anthropic, key in keys.env', entry }];
}
