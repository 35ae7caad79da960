import { type Command, Option } from 'commander';
import type { Bind } from './bind.js';

/** `amplifier serve` and the commands around the server it starts. */
export function addServeCommands(program: Command, bind: Bind): void {
  const load = () => import('../commands/servers/serve.js');
  const serve = program
    .command('serve')
    .description('serve the REST API and the browser app until stopped')
    .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
    .option('--port <number>', 'port to listen on, 0 for any free one (default: 8420)')
    .option('--insecure', 'listen beyond the loopback without TLS')
    .option('--offline', 'run on fixed rules instead of a model: no key, no network')
    .addOption(
      new Option('--log-level <level>', 'what goes into the log').choices([
        'debug',
        'info',
        'warn',
        'error',
        'silent',
      ]),
    );
  bind(serve, async (cli, _args, options) => (await load()).serve(cli, options));
  const web = program
    .command('web')
    .description('open the browser app; starts the server if none is running')
    .option('--no-open', 'only print the link')
    .addOption(
      new Option('--scope <scope>', 'what the browser may do')
        .choices(['read', 'run', 'admin'])
        .default('admin'),
    )
    .option('--offline', 'run on fixed rules instead of a model: no key, no network')
    .option('--port <number>', 'port of the server it starts (default: 8420)');
  bind(web, async (cli, _args, options) => (await import('../commands/servers/web.js')).web(cli, options));
  bind(serve.command('status').description('print whether the server is running, and where'), async (cli) =>
    (await load()).aroundServer(cli, (commands, here) => commands.status(here)),
  );
  bind(serve.command('stop').description('stop the server and wait until it has ended'), async (cli) =>
    (await load()).aroundServer(cli, (commands, here) => commands.stop(here)),
  );
  const token = serve.command('token').description('print the token with all rights');
  bind(token, async (cli) => (await load()).aroundServer(cli, (commands, here) => commands.token(here)));
  const create = token
    .command('create')
    .description('create a token with fewer rights and print it once')
    .addOption(
      new Option('--scope <scope>', 'read only, also run sessions, or also change the server')
        .choices(['read', 'run', 'admin'])
        .makeOptionMandatory(),
    )
    .option('--name <text>', 'what it is for');
  bind(create, async (cli, _args, { scope, name }) =>
    (await load()).aroundServer(cli, (commands, here) =>
      commands.createToken(here, {
        scope: scope as 'read',
        name: typeof name === 'string' ? name : null,
      }),
    ),
  );
  bind(token.command('list').description('list the created tokens'), async (cli) =>
    (await load()).aroundServer(cli, (commands, here) => commands.listTokens(here)),
  );
  const revoke = token.command('revoke').argument('<id>').description('revoke a token');
  bind(revoke, async (cli, [id = '']) =>
    (await load()).aroundServer(cli, (commands, here) => commands.revokeToken(here, id)),
  );
}
