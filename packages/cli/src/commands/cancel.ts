import { findSession, hostPaths } from '@amplifier/host';
import type { Options } from '../bind.js';
import type { Cli } from '../cli.js';
import { openCliHost } from '../open-host.js';

export async function cancel(cli: Cli, id: string, options: Options): Promise<number> {
  const { session_id, place } = await findSession(id, hostPaths(cli.cwd));
  await using host = await openCliHost(cli, { place });
  const level = options.now ? 'immediate' : 'graceful';
  const stopped = await host.delegator.control.cancel(session_id, { level, by: 'user' });
  if (cli.json) cli.printJson({ session_id, stopped });
  else if (stopped.length === 0) cli.say(`${session_id} has ended already.`);
  else for (const each of stopped) cli.print(each);
  return 0;
}
