import { runServe, type ServerProgram, serverCommands, usersHome } from '@amplifier/daemon';
import type { Cli } from '../../cli.js';
import type { Options } from '../../program/bind.js';

/** The user's own sessions, agents and providers over REST, until it is told to stop. */
export async function serve(cli: Cli, { host, port, insecure, logLevel, offline }: Options): Promise<number> {
  const given = Object.entries({ host, port, insecure, log_level: logLevel });
  const flags = Object.fromEntries(given.filter(([, value]) => value !== undefined));
  await runServe({ cwd: cli.cwd, users: true, offline: offline === true, flags }, cli.print);
  return 0;
}

/** One of the commands around that server. */
export async function aroundServer(
  { cwd, print, say }: Cli,
  command: (commands: typeof serverCommands, here: ServerProgram) => Promise<number>,
): Promise<number> {
  const home = await usersHome(process.env, cwd);
  return command(serverCommands, { home, environment: process.env, print, say });
}
