import type { Command } from 'commander';
import type { Bind } from './bind.js';
import { scoped } from './scoped.js';

/** What sessions get from elsewhere: MCP servers and skills. */
export function addExtensionCommands(program: Command, bind: Bind): void {
  const server = program.command('mcp-server').description('manage the MCP servers that sessions use');
  const add = server
    .command('add')
    .argument('<name>')
    .argument('[command...]', 'a program and its arguments, after --')
    .description('add an MCP server')
    .option('--url <url>', 'the address of a server that is reached over HTTP')
    .option('--header <name=value>', 'sent with every request; may be repeated', collect)
    .option('--env <name=value>', 'a variable for the program; may be repeated', collect);
  bind(scoped(add), async (cli, [name, command], options) =>
    (await import('../commands/servers/mcp-server.js')).serverAdd(
      cli,
      name ?? '',
      [command ?? []].flat() as string[],
      options,
    ),
  );
  bind(
    server.command('list').alias('ls').description('list the servers and where each is configured'),
    async (cli) => (await import('../commands/servers/mcp-server.js')).serverList(cli),
  );
  bind(
    scoped(server.command('remove').alias('rm').argument('<name>').description('remove a server')),
    async (cli, [name], options) =>
      (await import('../commands/servers/mcp-server.js')).serverRemove(cli, name ?? '', options),
  );
  bind(
    server
      .command('test')
      .argument('[name]', 'default: all')
      .description('start a server and list its tools'),
    async (cli, [name]) => (await import('../commands/servers/mcp-server.js')).serverTest(cli, name),
  );
  bind(
    server.command('login').argument('<name>').description('sign in to a server in the browser'),
    async (cli, [name]) => (await import('../commands/servers/mcp-server.js')).serverLogin(cli, name ?? ''),
  );
  const skill = program.command('skill').description('list the skills that sessions load on demand');
  bind(skill.command('list').alias('ls').description('list the skills and their folders'), async (cli) =>
    (await import('../commands/agents/skill-list.js')).skillList(cli),
  );
}

function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}
