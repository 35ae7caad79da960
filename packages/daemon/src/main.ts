#!/usr/bin/env node
import { errorInfo, systemClock } from '@amplifier/core';
import { Command, Option } from 'commander';
import { daemonHome } from './config.js';
import { SCOPES, type Scope } from './http/scope.js';
import { print, printError } from './server/print.js';
import { VERSION } from './version.js';

const program = new Command('amplifierd')
  .description('Collections, profiles, mount plans and sessions over REST.')
  .version(VERSION);

program
  .command('serve')
  .description('Run the daemon in the foreground until it is told to stop.')
  .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
  .option('--port <number>', 'port to listen on, 0 for any free one (default: 8420)')
  .option('--insecure', 'listen beyond the loopback without TLS')
  .option('--log-level <level>', 'debug, info, warn, error or silent')
  .action(async ({ logLevel, ...flags }) => {
    const { runServe } = await import('./server/run-serve.js');
    await runServe({ flags: { ...flags, ...(logLevel ? { log_level: logLevel } : {}) } });
  });

program
  .command('status')
  .description('Say whether the daemon of this home is running, and where.')
  .action(async () => {
    const { findRunning } = await import('./server/running-daemon.js');
    const running = await findRunning(home());
    print(
      running
        ? `running: process ${running.pid}, ${running.url}, since ${running.started_at}`
        : 'not running',
    );
    process.exitCode = running ? 0 : 3;
  });

program
  .command('stop')
  .description('Stop the daemon of this home and wait until it has ended.')
  .action(async () => {
    const { stopRunning } = await import('./server/stop-running.js');
    print(await stopRunning(home()));
  });

const token = program
  .command('token')
  .description('Print the token that may do everything; its commands make others that may do less.')
  .action(async () => {
    const { mkdir } = await import('node:fs/promises');
    const { loadToken } = await import('./server/token.js');
    await mkdir(home().home, { recursive: true, mode: 0o700 });
    print((await loadToken(home(), process.env)).token);
  });

token
  .command('create')
  .description('Make a token and print it, this once.')
  .addOption(
    new Option('--scope <scope>', 'look, also work with sessions, or also change the daemon')
      .choices(SCOPES)
      .makeOptionMandatory(),
  )
  .option('--name <text>', 'what it is for')
  .action(async ({ scope, name }: { scope: Scope; name?: string }) => {
    const made = await (await scopedTokens()).create({ scope, name: name ?? null }, systemClock);
    print(made.token);
    printError(`Token ${made.record.id}, scope ${scope}. It is not shown again.`);
  });

token
  .command('list')
  .description('List the tokens that were made, without the tokens themselves.')
  .action(async () => {
    for (const { id, scope, created_at, name } of await (await scopedTokens()).list())
      print(`${id}  ${scope.padEnd(5)}  ${created_at}  ${name ?? ''}`.trimEnd());
  });

token
  .command('revoke')
  .description('Refuse a token from now on.')
  .argument('<id>')
  .action(async (id: string) => {
    await (await scopedTokens()).revoke(id);
    print(`revoked: ${id}`);
  });

program
  .command('sync')
  .description('Sync all collections, or one, through the running daemon.')
  .argument('[collection]')
  .option('--update', 'ask git and http sources for news')
  .action(async (collection: string | undefined, { update = false }: { update?: boolean }) => {
    const { syncRunning } = await import('./server/sync-running.js');
    process.exitCode = await syncRunning(home(), process.env, { collection, update });
  });

function home() {
  return daemonHome(process.env, process.cwd());
}

async function scopedTokens() {
  const { ScopedTokens } = await import('./server/scoped-tokens.js');
  return new ScopedTokens(home().home);
}

try {
  await program.parseAsync();
} catch (error) {
  printError(errorInfo(error).message);
  process.exitCode = 1;
}
