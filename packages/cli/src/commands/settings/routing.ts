import {
  hostPaths,
  listMatrices,
  loadMatrix,
  projectRoles,
  ROUTING_DIR,
  readSettings,
  usableProviders,
} from '@amplifier/host';
import type { Cli } from '../../cli.js';
import { openProviders } from '../../open/open-providers.js';
import { changeSetting } from '../../options/choose-scope.js';
import type { Options } from '../../program/bind.js';
import { table } from '../../terminal/fit.js';

export async function routingList(cli: Cli): Promise<number> {
  const paths = hostPaths(cli.cwd);
  const names = await listMatrices([...paths.routing, ROUTING_DIR]);
  const active = (await readSettings(paths)).settings.routing?.matrix ?? 'balanced';
  if (cli.json) cli.printJson({ matrices: names, active });
  else for (const name of names) cli.print(`${name === active ? '*' : ' '} ${name}`);
  return 0;
}

/** Each role and the model it resolves to with the providers of this machine. */
export async function routingShow(cli: Cli): Promise<number> {
  const resolver = await resolverOf(cli);
  const roles = await Promise.all(
    resolver.known_roles.map(async (role) => {
      const { candidates, unmet } = await resolver.resolve(role);
      const [first] = candidates;
      return {
        role,
        model: first ? `${first.provider}/${first.model}` : null,
        because: whyServed(candidates.length, unmet),
      };
    }),
  );
  if (cli.json) cli.printJson({ matrix: resolver.name, roles });
  else {
    cli.print(`matrix ${resolver.name}`);
    for (const line of table(
      roles.map(({ role, model, because }) => [role, model ?? '-', because]),
      cli.width,
    ))
      cli.print(line);
  }
  return 0;
}

/** Why a role resolves to what it does, in a few words. */
function whyServed(
  candidates: number,
  unmet: readonly { requested: { provider: string; model: string } }[],
): string {
  const passed = unmet.map(({ requested: { provider, model } }) => `${provider}/${model}`);
  if (candidates === 0) return `none is available of ${passed.join(', ')}`;
  if (passed.length === 0) return 'the first choice of the matrix';
  return `instead of ${passed.join(', ')}, which ${passed.length === 1 ? 'is' : 'are'} not available`;
}

export async function routingUse(cli: Cli, name: string, options: Options): Promise<number> {
  await loadMatrix(name, [...hostPaths(cli.cwd).routing, ROUTING_DIR]);
  const file = await changeSetting(cli, options, { path: ['routing', 'matrix'], value: name });
  if (cli.json) cli.printJson({ matrix: name, file });
  else cli.say(`Roles use the matrix ${name}, as set in ${file}`);
  return 0;
}

/** Every candidate of a role, in order, and why the others were passed over. */
export async function routingExplain(cli: Cli, role: string): Promise<number> {
  const resolver = await resolverOf(cli);
  const { candidates, unmet, unknown_roles } = await resolver.resolve(role);
  const found = candidates.map(({ provider, model, config }) => ({ provider, model, config: config ?? {} }));
  const passed = unmet.map(({ reason }) => reason);
  if (cli.json)
    cli.printJson({
      matrix: resolver.name,
      role,
      known: !unknown_roles.includes(role),
      candidates: found,
      passed_over: passed,
    });
  else {
    if (unknown_roles.includes(role))
      cli.print(
        `The matrix ${resolver.name} has no role '${role}'. It has: ${resolver.known_roles.join(', ')}.`,
      );
    found.forEach(({ provider, model }, index) => {
      cli.print(`${index === 0 ? '→' : ' '} ${provider}/${model}`);
    });
    for (const reason of passed) cli.print(`  ${cli.color.dim(reason)}`);
  }
  return found.length > 0 ? 0 : 1;
}

async function resolverOf(cli: Cli) {
  const { project, readings } = await openProviders(cli);
  return projectRoles(
    project,
    { session: { orchestrator: '', context: '' }, providers: readings.map(({ spec }) => spec) },
    usableProviders(readings),
  );
}
