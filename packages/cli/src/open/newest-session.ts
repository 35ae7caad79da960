import { type FoundSession, hostPaths, openStore, storePlaces } from '@amplifier/host';
import type { Cli } from '../cli.js';
import { UsageError } from '../usage-error.js';

/** Sessions that are looked at for one that a person talked in. */
const LOOKED_AT = 50;

/** The newest session of this folder that was given an instruction. */
export async function newestSession(cli: Cli): Promise<FoundSession> {
  const [place] = await storePlaces(hostPaths(cli.cwd));
  if (place) {
    await using store = await openStore(place.sessions, cli.report);
    const { sessions } = await store.list({ parent_id: null, limit: LOOKED_AT });
    const newest = sessions.find(({ message_count }) => message_count > 0);
    if (newest) {
      const { working_dir } = await store.metadata(newest.session_id);
      return { session_id: newest.session_id, place, working_dir };
    }
  }
  throw new UsageError('There is no session of this folder yet. Start one with: amplifier run "…"');
}
