import type { Command } from 'commander';
import type { Cli } from '../../cli.js';
import { UsageError } from '../../usage-error.js';

/** A completion script for a shell. It asks the program itself, so that it knows agents, sessions and models as they are now. */
export async function completion(cli: Cli, shell: string): Promise<number> {
  const script = SHELLS[shell];
  if (!script)
    throw new UsageError(
      `There is no completion for '${shell}'. Choose one of ${Object.keys(SHELLS).join(', ')}.`,
    );
  cli.print(script);
  return 0;
}

const SHELLS: Record<string, string | undefined> = {
  bash: `_amplifier() {
  local IFS=$'\n'
  COMPREPLY=($(amplifier complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
  [[ \${#COMPREPLY[@]} -eq 1 ]] && COMPREPLY[0]="\${COMPREPLY[0]} "
}
complete -o nospace -o default -F _amplifier amplifier`,
  zsh: `#compdef amplifier
_amplifier() {
  local -a found; found=("\${(@f)$(amplifier complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if (( \${#found} )) && [[ -n "\${found[1]}" ]]; then compadd -- $found; else _files; fi
}
compdef _amplifier amplifier`,
  fish: `function __amplifier_complete
  set -l words (commandline -opc) (commandline -ct)
  amplifier complete -- $words[2..-1] 2>/dev/null
end
complete -c amplifier -f -a '(__amplifier_complete)'`,
};

/** What may come at the last of these words, one per line. What cannot be read is left out: this runs at every press of a key. */
export async function complete(cli: Cli, words: readonly string[], program: Command): Promise<number> {
  const typed = words.at(-1) ?? '';
  const fitting = (await candidates(cli, words.slice(0, -1), program)).filter((each) =>
    each.startsWith(typed),
  );
  for (const each of [...new Set(fitting)].sort()) cli.print(each);
  return 0;
}

async function candidates(cli: Cli, before: readonly string[], program: Command): Promise<string[]> {
  let command = program;
  const given: string[] = [];
  for (const word of before) {
    const sub = command.commands.find((each) => each.name() === word || each.aliases().includes(word));
    if (sub && given.length === 0) command = sub;
    else if (!word.startsWith('-')) given.push(word);
  }
  const last = before.at(-1) ?? '';
  const option = [...command.options, ...program.options].find(
    (each) => (each.long === last || each.short === last) && !each.isBoolean(),
  );
  if (option) return option.argChoices ?? valuesOf(cli, option.attributeName());
  const names = command.commands.filter((sub) => !('_hidden' in sub && sub._hidden)).map((sub) => sub.name());
  const flags = [...command.options, ...program.options].map(({ long, short }) => long ?? short ?? '');
  const argument =
    command.registeredArguments[Math.min(given.length, command.registeredArguments.length - 1)];
  return [...names, ...flags, ...(argument ? await valuesOf(cli, argument.name(), command.name()) : [])];
}

const VALUES: Record<string, ((cli: Cli) => Promise<string[]>) | undefined> = {
  agent: agentNames,
  id: sessionIds,
  ids: sessionIds,
  resume: sessionIds,
  parent: sessionIds,
  sessionId: sessionIds,
  model: modelNames,
  provider: providerNames,
  role: roleNames,
  bundle: bundleNames,
  matrix: matrixNames,
  kind: async () => (await import('../settings/provider-add.js')).PROVIDER_KINDS,
  shell: async () => Object.keys(SHELLS),
};

async function valuesOf(cli: Cli, name: string, command = ''): Promise<string[]> {
  const list = name === 'name' && command === 'show' ? agentNames : VALUES[name];
  return (await list?.(cli).catch(() => [])) ?? [];
}

async function agentNames(cli: Cli): Promise<string[]> {
  const [{ openCliProject }, { externalRows }] = await Promise.all([
    import('../../open/open-project.js'),
    import('../agents/agent-external.js'),
  ]);
  const project = await openCliProject(cli);
  const [{ agents }, external] = await Promise.all([project.agents.listAgents(), externalRows(project)]);
  const installed = external.rows.filter((row) => row.installed);
  return [...agents, ...installed].map(({ name }) => name);
}

async function sessionIds(cli: Cli): Promise<string[]> {
  const { hostPaths, openStore } = await import('@amplifier/host');
  await using store = await openStore(hostPaths(cli.cwd).sessions);
  const { sessions } = await store.list({ limit: 100 });
  return sessions.map(({ session_id }) => session_id);
}

async function providerNames(cli: Cli): Promise<string[]> {
  const { openProviders } = await import('../../open/open-providers.js');
  const { readings } = await openProviders(cli);
  return readings.filter(({ provider }) => provider).map(({ name }) => name);
}

/** Those that are named without a call to anybody: the defaults of the providers, and what the matrix names. */
async function modelNames(cli: Cli): Promise<string[]> {
  const { openProviders } = await import('../../open/open-providers.js');
  const { readings } = await openProviders(cli);
  return readings.flatMap(({ provider }) => provider?.defaultModel ?? []);
}

async function roleNames(cli: Cli): Promise<string[]> {
  const { hostPaths, loadMatrix, readSettings, ROUTING_DIR } = await import('@amplifier/host');
  const paths = hostPaths(cli.cwd);
  const { routing } = paths;
  const name = (await readSettings(paths)).settings.routing?.matrix ?? 'balanced';
  return Object.keys((await loadMatrix(name, [...routing, ROUTING_DIR])).roles);
}

async function matrixNames(cli: Cli): Promise<string[]> {
  const { hostPaths, listMatrices, ROUTING_DIR } = await import('@amplifier/host');
  return listMatrices([...hostPaths(cli.cwd).routing, ROUTING_DIR]);
}

async function bundleNames(cli: Cli): Promise<string[]> {
  const { hostPaths, namedBundles, readSettings } = await import('@amplifier/host');
  const paths = hostPaths(cli.cwd);
  return Object.keys(await namedBundles(paths, await readSettings(paths)));
}
