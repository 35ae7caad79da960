#!/usr/bin/env node
import { errorInfo } from '@amplifier/core';
import { Command, Option } from 'commander';
import { SCOPES, type Scope } from './auth/scope.js';
import { print, printError } from './commands/print.js';
import type { ServerProgram, serverCommands } from './commands/server-commands.js';
import { daemonHome } from './config.js';
import { VERSION } from './version.js';

const program = new Command('amplifierd')
  .description('Serve collections, profiles, mount plans and sessions over REST, on a separate home.')
  .version(VERSION);

program
  .command('serve')
  .description('Run the daemon in the foreground until stopped.')
  .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
  .option('--port <number>', 'port to listen on, 0 for any free one (default: 8420)')
  .option('--insecure', 'listen beyond the loopback without TLS')
  .option('--log-level <level>', 'debug, info, warn, error or silent')
  .option('--offline', 'run sessions on fixed rules instead of a model: no key, no network')
  .action(async ({ logLevel, offline = false, ...flags }) => {
    const { runServe } = await import('./commands/run-serve.js');
    await runServe({ offline, flags: { ...flags, ...(logLevel ? { log_level: logLevel } : {}) } });
  });

program
  .command('worker')
  .description('Execute runs that other daemons of the same database accepted, without listening.')
  .option('--pool <names>', 'the names of its places, comma-separated (default: the host name)')
  .option('--log-level <level>', 'debug, info, warn, error or silent')
  .option('--offline', 'run sessions on fixed rules instead of a model: no key, no network')
  .action(async ({ pool, logLevel, offline = false }) => {
    const { runServe } = await import('./commands/run-serve.js');
    const flags = { ...(pool ? { places: pool } : {}), ...(logLevel ? { log_level: logLevel } : {}) };
    await runServe({ offline, isWorker: true, flags });
  });

program
  .command('status')
  .description('Print whether the daemon of this home is running, and where.')
  .action(() => run((commands, here) => commands.status(here)));

program
  .command('stop')
  .description('Stop the daemon of this home and wait until it has ended.')
  .action(() => run((commands, here) => commands.stop(here)));

const token = program
  .command('token')
  .description('Print the token with full access; the subcommands manage restricted ones.')
  .action(() => run((commands, here) => commands.token(here)));

token
  .command('create')
  .description('Create a token and print it once.')
  .addOption(
    new Option('--scope <scope>', 'read only, also run sessions, or also change the daemon')
      .choices(SCOPES)
      .makeOptionMandatory(),
  )
  .option('--name <text>', 'what it is for')
  .option('--tenant <name>', 'the team it belongs to, which sees and changes only its own data')
  .action(({ scope, name, tenant }: { scope: Scope; name?: string; tenant?: string }) =>
    run((commands, here) => commands.createToken(here, { scope, name: name ?? null, tenant })),
  );

token
  .command('list')
  .description('List the created tokens, without the tokens themselves.')
  .action(() => run((commands, here) => commands.listTokens(here)));

token
  .command('revoke')
  .description('Revoke a token.')
  .argument('<id>')
  .action((id: string) => run((commands, here) => commands.revokeToken(here, id)));

program
  .command('audit')
  .description('Print who changed what, newest first: time, tenant, token, status, operation, target.')
  .option('--limit <number>', 'the maximum number of entries', '100')
  .option('--tenant <name>', 'only changes by tokens of this tenant')
  .action(({ limit, tenant }: { limit: string; tenant?: string }) =>
    run((commands, here) =>
      commands.audit(here, { limit: Number(limit) || 100, ...(tenant ? { tenant } : {}) }),
    ),
  );

program
  .command('trust')
  .description('Show modules that changed since sessions first used them, and trust them as they are now.')
  .option('--list', 'only show them; exit code 1 if there are any')
  .option('--yes', 'trust them without asking')
  .action(({ list = false, yes = false }: { list?: boolean; yes?: boolean }) => {
    const asks = process.stdin.isTTY ? ask : null;
    return run((commands, here) => commands.trust(here, list ? null : yes ? async () => true : asks));
  });

async function ask(question: string): Promise<boolean> {
  const { createInterface } = await import('node:readline/promises');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
  } finally {
    lines.close();
  }
}

program
  .command('sync')
  .description('Sync all collections, or one, through the running daemon.')
  .argument('[collection]')
  .option('--update', 'check git and http sources for updates')
  .action((collection: string | undefined, { update = false }: { update?: boolean }) =>
    run((commands, here) => commands.sync(here, { collection, update })),
  );

async function run(
  command: (commands: typeof serverCommands, here: ServerProgram) => Promise<number>,
): Promise<void> {
  const { serverCommands } = await import('./commands/server-commands.js');
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
