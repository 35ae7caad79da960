import { findSession, hostPaths, openStore } from '@amplifier/host';
import type { Cli } from '../cli.js';
import type { Options } from '../program.js';

export async function sessionDelete(cli: Cli, id: string, options: Options): Promise<number> {
  const { session_id, place } = await findSession(id, hostPaths(cli.cwd));
  await using store = await openStore(place.sessions, cli.report);
  const deleted = await store.delete(session_id, {
    children: options.children ? 'cascade' : 'refuse',
    force: Boolean(options.force),
  });
  if (cli.json) cli.printJson({ deleted });
  else for (const each of deleted) cli.print(each);
  return 0;
}
