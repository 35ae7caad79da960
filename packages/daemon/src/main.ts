#!/usr/bin/env node
import { errorInfo } from '@amplifier/core';
import { Command, Option } from 'commander';
import { daemonHome } from './config.js';
import { SCOPES, type Scope } from './http/scope.js';
import { print, printError } from './server/print.js';
import type { ServerProgram, serverCommands } from './server/server-commands.js';
import { VERSION } from './version.js';

const program = new Command('amplifierd')
  .description('Collections, profiles, mount plans and sessions over REST, on a home of its own.')
  .version(VERSION);

program
  .command('serve')
  .description('Run the daemon in the foreground until it is told to stop.')
  .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
  .option('--port <number>', 'port to listen on, 0 for any free one (default: 8420)')
  .option('--insecure', 'listen beyond the loopback without TLS')
  .option('--log-level <level>', 'debug, info, warn, error or silent')
  .option('--offline', 'run sessions on fixed rules instead of a model: no key, no network')
  .action(async ({ logLevel, offline = false, ...flags }) => {
    const { runServe } = await import('./server/run-serve.js');
    await runServe({ offline, flags: { ...flags, ...(logLevel ? { log_level: logLevel } : {}) } });
  });

program
  .command('worker')
  .description('Execute runs that other daemons of the same database took on, without listening anywhere.')
  .option(
    '--pool <names>',
    'what its places are called, with commas in between (default: the name of the host)',
  )
  .option('--log-level <level>', 'debug, info, warn, error or silent')
  .option('--offline', 'run sessions on fixed rules instead of a model: no key, no network')
  .action(async ({ pool, logLevel, offline = false }) => {
    const { runServe } = await import('./server/run-serve.js');
    const flags = { ...(pool ? { places: pool } : {}), ...(logLevel ? { log_level: logLevel } : {}) };
    await runServe({ offline, isWorker: true, flags });
  });

program
  .command('status')
  .description('Say whether the daemon of this home is running, and where.')
  .action(() => run((commands, here) => commands.status(here)));

program
  .command('stop')
  .description('Stop the daemon of this home and wait until it has ended.')
  .action(() => run((commands, here) => commands.stop(here)));

const token = program
  .command('token')
  .description('Print the token that may do everything; its commands make others that may do less.')
  .action(() => run((commands, here) => commands.token(here)));

token
  .command('create')
  .description('Make a token and print it, this once.')
  .addOption(
    new Option('--scope <scope>', 'look, also work with sessions, or also change the daemon')
      .choices(SCOPES)
      .makeOptionMandatory(),
  )
  .option('--name <text>', 'what it is for')
  .option('--tenant <name>', 'the team it belongs to, which sees and changes what is its own alone')
  .action(({ scope, name, tenant }: { scope: Scope; name?: string; tenant?: string }) =>
    run((commands, here) => commands.createToken(here, { scope, name: name ?? null, tenant })),
  );

token
  .command('list')
  .description('List the tokens that were made, without the tokens themselves.')
  .action(() => run((commands, here) => commands.listTokens(here)));

token
  .command('revoke')
  .description('Refuse a token from now on.')
  .argument('<id>')
  .action((id: string) => run((commands, here) => commands.revokeToken(here, id)));

program
  .command('audit')
  .description('Say who changed what, newest first: time, tenant, token, answer, operation, target.')
  .option('--limit <number>', 'at most so many', '100')
  .option('--tenant <name>', 'only what tokens of this tenant did')
  .action(({ limit, tenant }: { limit: string; tenant?: string }) =>
    run((commands, here) =>
      commands.audit(here, { limit: Number(limit) || 100, ...(tenant ? { tenant } : {}) }),
    ),
  );

program
  .command('sync')
  .description('Sync all collections, or one, through the running daemon.')
  .argument('[collection]')
  .option('--update', 'ask git and http sources for news')
  .action((collection: string | undefined, { update = false }: { update?: boolean }) =>
    run((commands, here) => commands.sync(here, { collection, update })),
  );

async function run(
  command: (commands: typeof serverCommands, here: ServerProgram) => Promise<number>,
): Promise<void> {
  const { serverCommands } = await import('./server/server-commands.js');
  const home = daemonHome(process.env);
  process.exitCode = await command(serverCommands, {
    home,
    environment: process.env,
    print,
    say: printError,
  });
}

try {
  await program.parseAsync();
} catch (error) {
  printError(errorInfo(error).message);
  process.exitCode = 1;
}
