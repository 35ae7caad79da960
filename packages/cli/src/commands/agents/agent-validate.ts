import { readFile } from 'node:fs/promises';
import {
  BUILT_IN_MODULES,
  closestNames,
  errorInfo,
  loadMatrix,
  moduleSpec,
  type Project,
  parseAgent,
  ROUTING_DIR,
} from '@amplifier/host';
import type { Cli } from '../../cli.js';
import { openCliProject } from '../../open/open-project.js';
import { fromFolder } from '../../options/session-options.js';

interface Finding {
  file: string;
  ok: boolean;
  messages: string[];
}

/** Checks agent files, or every agent there is. Exit code 1 when one cannot be used. */
export async function agentValidate(cli: Cli, files: readonly string[]): Promise<number> {
  const project = await openCliProject(cli);
  const known = await knownNames(project);
  const paths =
    files.length > 0
      ? files.map((file) => fromFolder(cli.cwd, file))
      : (await project.agents.resolver.list()).map(({ path }) => path);
  const findings = await Promise.all(paths.map((path) => check(path, known)));
  if (cli.json) cli.printJson({ files: findings });
  else
    for (const { file, ok, messages } of findings) {
      cli.print(`${ok ? cli.color.green('ok') : cli.color.red('bad')}  ${file}`);
      for (const message of messages) cli.print(`    ${message}`);
    }
  return findings.every(({ ok }) => ok) ? 0 : 1;
}

interface KnownNames {
  modules: readonly string[];
  roles: readonly string[];
}

async function knownNames({ settings, paths }: Project): Promise<KnownNames> {
  const { routing, sources } = settings.settings;
  const matrix = await loadMatrix(routing?.matrix ?? 'balanced', [...paths.routing, ROUTING_DIR]);
  return {
    modules: [...BUILT_IN_MODULES, ...Object.keys(sources?.modules ?? {})],
    roles: [...Object.keys(matrix.roles), ...Object.keys(routing?.overrides ?? {})],
  };
}

async function check(file: string, known: KnownNames): Promise<Finding> {
  try {
    const { agent, warnings } = parseAgent(await readFile(file, 'utf8'), file);
    const { tools = [], hooks = [], providers = [], model_role = [] } = agent.frontmatter;
    const unknown = [
      ...[...tools, ...hooks, ...providers].flatMap((entry) => {
        const spec = moduleSpec(entry);
        if (!spec || spec.source !== undefined || known.modules.includes(spec.module)) return [];
        return [`There is no module '${spec.module}'.${guess(spec.module, known.modules)}`];
      }),
      ...[model_role]
        .flat()
        .filter((role) => !known.roles.includes(role))
        .map((role) => `There is no role '${role}'.${guess(role, known.roles)}`),
    ];
    return {
      file,
      ok: unknown.length === 0,
      messages: [...unknown, ...warnings.map(({ message }) => message)],
    };
  } catch (error) {
    return { file, ok: false, messages: [errorInfo(error).message] };
  }
}

function guess(name: string, known: readonly string[]): string {
  const [close] = closestNames(name, [...known]);
  return close ? ` Did you mean '${close}'?` : ` There are: ${known.join(', ')}.`;
}
