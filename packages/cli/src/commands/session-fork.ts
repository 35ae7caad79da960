import { findSession, forkSession, hostPaths, openStore } from '@amplifier/host';
import type { Cli } from '../cli.js';
import type { Options } from '../program.js';
import { whole } from '../session-options.js';

export async function sessionFork(cli: Cli, id: string, options: Options): Promise<number> {
  const turn = options.turn === undefined ? undefined : whole('--turn', options.turn, 1);
  const { session_id, place } = await findSession(id, hostPaths(cli.cwd));
  await using store = await openStore(place.sessions, cli.report);
  const fork = await forkSession(store, session_id, turn);
  if (cli.json) cli.printJson({ session_id: fork, forked_from: session_id, turn: turn ?? null });
  else {
    cli.print(fork);
    cli.say(`Go on with: amplifier session resume ${fork} "…"`);
  }
  return 0;
}
