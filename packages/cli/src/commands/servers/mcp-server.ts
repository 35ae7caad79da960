import {
  closestNames,
  type JsonObject,
  type ListedServer,
  listServers,
  probeServer,
  redactSecrets,
  signInToServer,
} from '@amplifier/host';
import type { Cli } from '../../cli.js';
import { EXIT } from '../../exit-codes.js';
import { openCliProject } from '../../open/open-project.js';
import { openInBrowser } from '../../open-in-browser.js';
import { changeSetting } from '../../options/choose-scope.js';
import type { Options } from '../../program/bind.js';
import { counted, table } from '../../terminal/fit.js';
import { UsageError } from '../../usage-error.js';

/** Remembers a server: a program with its arguments, or an address. */
export async function serverAdd(
  cli: Cli,
  name: string,
  command: readonly string[],
  options: Options,
): Promise<number> {
  if (!/^[A-Za-z0-9_-]+$/.test(name))
    throw new UsageError(`'${name}' cannot be the name of a server: use letters, digits, _ and -.`);
  const { url } = options;
  const [program, ...args] = command;
  if ((typeof url === 'string') === (program !== undefined) || /^https?:/.test(program ?? ''))
    throw new UsageError(
      'Give either a program with its arguments or --url, such as: amplifier mcp-server add docs --url https://example.com/mcp',
    );
  const env = pairs(options.env, '--env');
  const headers = pairs(options.header, '--header');
  const value: JsonObject =
    typeof url === 'string'
      ? { url, ...(headers ? { headers } : {}) }
      : { command: program, ...(args.length > 0 ? { args } : {}), ...(env ? { env } : {}) };
  const file = await changeSetting(cli, options, { path: ['mcp_servers', name], value });
  if (cli.json) cli.printJson({ name, file });
  else cli.say(`Added ${name} to ${file}. Test it with: amplifier mcp-server test ${name}`);
  return 0;
}

export async function serverList(cli: Cli): Promise<number> {
  const { servers, problems } = await listServers(await openCliProject(cli));
  if (cli.json) cli.printJson({ servers: servers.map((each) => redactSecrets({ ...each })), problems });
  else
    for (const line of table(
      servers.map((each) => [
        each.name,
        each.origin,
        each.used ? place(each) : `${place(each)} (not used: the folder is not trusted)`,
      ]),
      cli.width,
    ))
      cli.print(line);
  if (servers.length === 0) cli.say("There are no MCP servers. Add one with 'amplifier mcp-server add'.");
  if (!cli.json) for (const problem of problems) cli.say(`error: ${problem}`);
  return 0;
}

export async function serverRemove(cli: Cli, name: string, options: Options): Promise<number> {
  await named(cli, name);
  const file = await changeSetting(cli, options, { path: ['mcp_servers', name], value: undefined });
  if (cli.json) cli.printJson({ name, file });
  else cli.say(`Removed ${name} from ${file}`);
  return 0;
}

/** Starts each server that is named, or all, as a session would. */
export async function serverTest(cli: Cli, name: string | undefined): Promise<number> {
  const project = await openCliProject(cli);
  const all = (await listServers(project)).servers.filter(({ used }) => used);
  const chosen = name === undefined ? all : [await named(cli, name)];
  const results = [];
  for (const server of chosen) {
    if (!server.used)
      throw new UsageError(
        `${server.name} comes from ${server.origin} of a folder that is not trusted. See what it runs with: amplifier trust .`,
      );
    results.push({ name: server.name, ...(await probeServer(project, server.name, server.config)) });
  }
  if (cli.json) cli.printJson({ servers: results });
  else
    for (const { name: server, tools, problem } of results)
      cli.print(
        problem === null
          ? `✓ ${server}: ${tools.map((tool) => tool.name).join(', ')}`
          : `✗ ${server}: ${problem}`,
      );
  return results.some(({ problem }) => problem !== null) ? 1 : 0;
}

/** Signs the person in at a server that wants it. What it gives is kept for every session. */
export async function serverLogin(cli: Cli, name: string): Promise<number> {
  const server = await named(cli, name);
  const { url } = server.config;
  if (typeof url !== 'string' || !server.used)
    throw new UsageError(
      `${name} is not an HTTP server in use here. List the servers with: amplifier mcp-server list`,
    );
  const project = await openCliProject(cli);
  const stop = new AbortController();
  const onInterrupt = () => stop.abort();
  process.once('SIGINT', onInterrupt);
  try {
    const { logins: folder } = project.paths;
    const tools = await signInToServer({ folder, url, name }, (page) => show(cli, page), stop.signal);
    if (cli.json) cli.printJson({ name, tools });
    else cli.say(`Signed in to ${name}. It offers ${counted(tools, 'tool')}.`);
    return 0;
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    cli.say('Not signed in.');
    return EXIT.interrupted;
  } finally {
    process.off('SIGINT', onInterrupt);
  }
}

/** The address is always shown: the browser may be on another machine. */
function show(cli: Cli, page: URL): void {
  cli.say(`Sign in at:\n${page.href}`);
  if (cli.interactive) void openInBrowser(page.href);
}

async function named(cli: Cli, name: string): Promise<ListedServer> {
  const { servers } = await listServers(await openCliProject(cli));
  const found = servers.find((server) => server.name === name);
  if (found) return found;
  const [guess] = closestNames(
    name,
    servers.map((server) => server.name),
  );
  throw new UsageError(
    `No MCP server is called '${name}'. ${guess ? `Did you mean '${guess}'?` : 'See: amplifier mcp-server list'}`,
  );
}

function place({ config }: ListedServer): string {
  return typeof config.url === 'string'
    ? config.url
    : [config.command, config.args].flat().filter(Boolean).join(' ');
}

function pairs(given: unknown, flag: string): JsonObject | null {
  const list = Array.isArray(given) ? given : [];
  if (list.length === 0) return null;
  return Object.fromEntries(
    list.map((pair) => {
      const [, key, value] = /^([^=]+)=([\s\S]*)$/.exec(String(pair)) ?? [];
      if (key === undefined) throw new UsageError(`${flag} takes NAME=VALUE, not '${pair}'.`);
      return [key, value];
    }),
  );
}
