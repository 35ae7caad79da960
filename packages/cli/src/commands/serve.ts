import { runServe } from '@amplifier/daemon';
import type { Cli } from '../cli.js';
import type { Options } from '../program.js';

/** `amplifierd serve` by another name: profiles, plans and sessions over REST until it is told to stop. */
export async function serve(cli: Cli, { host, port, insecure, logLevel }: Options): Promise<number> {
  const given = Object.entries({ host, port, insecure, log_level: logLevel });
  const flags = Object.fromEntries(given.filter(([, value]) => value !== undefined));
  await runServe({ cwd: cli.cwd, flags }, cli.print);
  return 0;
}
