import { resolve } from 'node:path';
import {
  hostPaths,
  isRelativeSource,
  namedBundles,
  openProject,
  readSettings,
  reportModules,
  snapshotBundle,
} from '@amplifier/host';
import type { Cli } from '../../cli.js';
import { openCliProject } from '../../open/open-project.js';
import { changeSetting, chooseScope } from '../../options/choose-scope.js';
import type { Options } from '../../program/bind.js';
import { counted, table } from '../../terminal/fit.js';
import { UsageError } from '../../usage-error.js';

export async function bundleList(cli: Cli): Promise<number> {
  const paths = hostPaths(cli.cwd);
  const settings = await readSettings(paths);
  const bundles = await namedBundles(paths, settings);
  const active = settings.settings.bundle?.active ?? 'foundation';
  const rows = Object.entries(bundles).map(([name, source]) => ({ name, source, active: name === active }));
  if (cli.json) cli.printJson({ bundles: rows, active });
  else
    for (const line of table(
      rows.map((row) => [row.active ? '*' : ' ', row.name, row.source]),
      cli.width,
    ))
      cli.print(line);
  return 0;
}

/** The composed bundle, as it would be kept beside a session. */
export async function bundleShow(cli: Cli, name: string | undefined): Promise<number> {
  const { bundle } = await openCliProject(cli, name);
  if (cli.json) cli.printJson(bundle);
  else cli.print(snapshotBundle(bundle));
  return 0;
}

/** What becomes here of every module a bundle names: most bundles were written for modules in Python. */
export async function bundleCheck(cli: Cli, name: string | undefined): Promise<number> {
  const project = await openCliProject(cli, name);
  const modules = await reportModules(project);
  const { bundle } = project;
  const warnings = bundle.warnings.map(({ code, message }) => ({ code, message }));
  const agents = Object.keys(bundle.agents);
  if (cli.json) {
    cli.printJson({ bundle: bundle.name, agents, modules, warnings });
    return 0;
  }
  cli.print(`${bundle.name}: ${counted(agents.length, 'agent')}, ${counted(modules.length, 'module')}`);
  for (const served_by of ['built-in', 'source', 'left out'] as const) {
    const those = modules.filter((each) => each.served_by === served_by);
    if (those.length > 0) cli.print(`\n${HEADINGS[served_by]}`);
    for (const { module, used_by, cost } of those)
      cli.print(
        `  ${module}  (${used_by.slice(0, 3).join(', ')}${used_by.length > 3 ? ', …' : ''})${cost ? `: ${cost}` : ''}`,
      );
  }
  for (const { message } of warnings) cli.print(`\nwarning: ${message}`);
  return 0;
}

const HEADINGS = {
  'built-in': 'Replaced by built-in modules, whatever source the bundle names:',
  source: 'Loaded from their source:',
  'left out': 'Left out, with the effect on the session:',
};

/**
 * Loads the bundle before it is remembered: a name that leads nowhere helps nobody. With a source alone it goes by the name it
 * gives itself, unless another has that.
 */
export async function bundleAdd(
  cli: Cli,
  first: string,
  second: string | undefined,
  options: Options,
): Promise<number> {
  const said = second ?? first;
  const source = storedSource(cli, said, options);
  const { bundle, bundles } = await openCliProject(cli, source);
  const name = second === undefined ? bundle.name : first;
  if (second === undefined && bundles[name] !== undefined && bundles[name] !== source)
    throw new UsageError(
      `The bundle is named '${name}', and so is ${bundles[name]}. Give it another name: amplifier bundle add NAME ${said}`,
    );
  const file = await changeSetting(cli, options, { path: ['bundle', 'added', name], value: source });
  if (cli.json) cli.printJson({ name, source, bundle: bundle.name, file });
  else
    cli.say(`Added ${name}: ${source} (${counted(Object.keys(bundle.agents).length, 'agent')}), in ${file}`);
  return 0;
}

/** A relative path from the current folder. In a file of the user it has to mean the same in every folder. */
function storedSource(cli: Cli, said: string, options: Options): string {
  return isRelativeSource(said) && chooseScope(options) !== 'project' ? resolve(cli.cwd, said) : said;
}

export async function bundleRemove(cli: Cli, name: string, options: Options): Promise<number> {
  const { settings } = await readSettings(hostPaths(cli.cwd));
  if (settings.bundle?.added?.[name] === undefined)
    throw new UsageError(`No bundle was added as '${name}'. See: amplifier bundle list`);
  const file = await changeSetting(cli, options, { path: ['bundle', 'added', name], value: undefined });
  if (cli.json) cli.printJson({ name, file });
  else cli.say(`Removed ${name} from ${file}`);
  return 0;
}

/** Asks every source of the bundle for its newest state. */
export async function bundleUpdate(cli: Cli, name: string | undefined): Promise<number> {
  const { bundle } = await openProject({ cwd: cli.cwd, report: cli.report, refresh: true, bundle: name });
  if (cli.json) cli.printJson({ name: bundle.name, parts: bundle.parts });
  else
    for (const { name: part, source, revision, stale } of bundle.parts)
      cli.print(
        `${part}  ${revision ?? 'a folder of yours'}  ${source}${stale ? '  (could not be reached)' : ''}`,
      );
  return 0;
}

export async function bundleUse(cli: Cli, said: string, options: Options): Promise<number> {
  const name = storedSource(cli, said, options);
  await openCliProject(cli, name);
  const file = await changeSetting(cli, options, { path: ['bundle', 'active'], value: name });
  if (cli.json) cli.printJson({ active: name, file });
  else cli.say(`New sessions use the bundle ${name}, as set in ${file}`);
  return 0;
}
