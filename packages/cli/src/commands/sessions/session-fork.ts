import { findSession, hostPaths } from '@amplifier/host';
import type { Cli } from '../../cli.js';
import { openCliHost } from '../../open/open-host.js';
import { whole } from '../../options/session-options.js';
import type { Options } from '../../program/bind.js';

export async function sessionFork(cli: Cli, id: string, options: Options): Promise<number> {
  const turn = options.turn === undefined ? undefined : whole('--turn', options.turn, 1);
  const { session_id, place } = await findSession(id, hostPaths(cli.cwd));
  await using host = await openCliHost(cli, { place });
  const fork = await host.delegator.fork(session_id, { turn });
  if (cli.json) cli.printJson({ session_id: fork.session_id, forked_from: session_id, turn: turn ?? null });
  else {
    cli.print(fork.session_id);
    cli.say(`Continue with: amplifier session resume ${fork.session_id} "…"`);
  }
  return 0;
}
