import {
  type FoundSession,
  findSession,
  type Host,
  hostPaths,
  interruptedIn,
  type LaunchRecord,
  openQueue,
  openStore,
  type StorePlace,
  storePlaces,
} from '@amplifier/host';
import type { Cli } from '../../cli.js';
import { inFolderOf, openCliHost } from '../../open/open-host.js';
import { showOutcome } from '../../output/show-outcome.js';
import type { Options } from '../../program/bind.js';
import { stopOnSignal } from '../../stop-on-signal.js';
import { Person } from '../../terminal/person.js';
import { type OutputForm, watchSession } from '../../terminal/watch-session.js';
import { UsageError } from '../../usage-error.js';

/** Sessions that are looked at, newest first, for one that was interrupted. */
const LOOKED_AT = 200;

/** Brings what a dead process left of a session, and of all below it, to its end. Without an id, the newest of this folder. */
export async function continueSession(cli: Cli, id: string | undefined, options: Options): Promise<number> {
  const form: OutputForm = cli.json ? 'json' : ((options.output as OutputForm | undefined) ?? 'text');
  const paths = hostPaths(cli.cwd);
  const found = id === undefined ? await newestInterrupted(cli) : await findSession(id, paths);
  const folder = inFolderOf(found, cli);
  const { place } = found;
  const { safety_mode } = await launchOf(found, cli);
  const person = new Person(cli, safety_mode);
  await using host = await openCliHost(folder, {
    place,
    offline: Boolean(options.offline),
    ...person.hostOptions,
  });
  const session_id = await topInterrupted(host, found.session_id);
  if (session_id !== found.session_id)
    cli.say(`It was interrupted together with ${session_id}, which is continued.`);
  await host.requireTrustToResume(session_id);
  const stop = stopOnSignal(cli);
  const watcher = watchSession(cli, form);
  person.attend(host, watcher, stop.token);
  try {
    const before = await host.delegator.control.status(session_id);
    if (!before.interrupted && before.outcome)
      cli.say(`${session_id} was not interrupted. This is how it ended:`);
    const { outcome, launch } = await host.delegator.continue(session_id, {
      cancellation: stop.token,
      onEvent: watcher.onEvent,
    });
    watcher.close();
    return await showOutcome(cli, form, outcome, launch);
  } finally {
    person.leave();
    watcher.close();
    stop.release();
  }
}

/** The newest session of this folder whose process died in the middle of a turn. */
async function newestInterrupted(cli: Cli): Promise<FoundSession> {
  const [place] = await storePlaces(hostPaths(cli.cwd));
  const session_id = place ? await firstInterrupted(place, cli) : null;
  if (place && session_id !== null) return { session_id, place, working_dir: cli.cwd };
  throw new UsageError(
    "No session of this folder was interrupted. To give one another instruction: amplifier session resume ID; 'amplifier session list' shows the ids.",
  );
}

async function firstInterrupted(place: StorePlace, cli: Cli): Promise<string | null> {
  await using store = await openStore(place.sessions, cli.report);
  await using queue = await openQueue(place.queue, cli.report);
  const { sessions } = await store.list({ limit: LOOKED_AT, status: ['created', 'active'] });
  const interrupted = interruptedIn(store, queue);
  for (const session of sessions) if (await interrupted(session)) return session.session_id;
  return null;
}

/** The highest session above, or this one, that was interrupted: it brings those below it along. */
async function topInterrupted(host: Host, session_id: string): Promise<string> {
  const { parent_id } = await host.store.metadata(session_id);
  if (parent_id === null || !(await host.store.has(parent_id))) return session_id;
  const { interrupted } = await host.delegator.control.status(parent_id);
  return interrupted ? topInterrupted(host, parent_id) : session_id;
}

async function launchOf(
  { session_id, place }: FoundSession,
  cli: Cli,
): Promise<Pick<LaunchRecord, 'safety_mode'>> {
  await using store = await openStore(place.sessions, cli.report);
  const launch = (await store.document(session_id, 'launch')) as LaunchRecord | null;
  return { safety_mode: launch?.safety_mode ?? 'read_only' };
}
