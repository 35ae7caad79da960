import {
  AmplifierError,
  findSession,
  hasCode,
  hostPaths,
  openStore,
  retainSessions,
  type SessionStore,
} from '@amplifier/host';
import type { Cli } from '../../cli.js';
import { whole } from '../../options/session-options.js';
import { shortId } from '../../output/session-title.js';
import type { Options } from '../../program/bind.js';
import { UsageError } from '../../usage-error.js';

export async function sessionDelete(cli: Cli, id: string, options: Options): Promise<number> {
  const { session_id, place } = await findSession(id, hostPaths(cli.cwd));
  await using store = await openStore(place.sessions, cli.report);
  const deleted = await store
    .delete(session_id, {
      children: options.children ? 'cascade' : 'refuse',
      force: Boolean(options.force),
    })
    .catch((error: unknown) => {
      throw inWordsOfFlags(error, session_id);
    });
  if (cli.json) cli.printJson({ deleted });
  else {
    for (const each of deleted) cli.print(each);
    cli.say(`Restore it with: amplifier session restore ${session_id}`);
  }
  return 0;
}

/** Brings a session back from the trash, with all that was deleted below it. */
export async function sessionRestore(cli: Cli, id: string): Promise<number> {
  const { sessions } = hostPaths(cli.cwd);
  await using store = await openStore(sessions, cli.report);
  const restored = await store.restore(await inTrash(store, id));
  const [first, ...below] = restored;
  if (cli.json) cli.printJson({ restored });
  else
    cli.say(
      `${first} is restored${below.length > 0 ? `, with ${below.length} below it` : ''}. See it with: amplifier session show ${first}`,
    );
  return 0;
}

/** The one session in the trash whose id begins like this. */
async function inTrash(store: SessionStore, id: string): Promise<string> {
  const { sessions } = await store.list({ deleted: true, project: null, limit: 1000 });
  const ids = [...new Set(sessions.map(({ session_id }) => session_id))];
  const fitting = ids.filter((each) => id !== '' && (each.startsWith(id) || shortId(each).startsWith(id)));
  const [only] = fitting.includes(id) ? [id] : fitting;
  if (only === undefined)
    throw new AmplifierError(
      `No session in the trash is called '${id}'. List those that are there with: amplifier session list --deleted`,
      { code: 'SESSION_NOT_FOUND', origin: id },
    );
  if (fitting.length === 1 || only === id) return only;
  throw new UsageError(
    `${fitting.length} sessions in the trash begin with '${id}'. Write more of the id; 'amplifier session list --deleted' shows them.`,
  );
}

function inWordsOfFlags(error: unknown, session_id: string): unknown {
  if (hasCode(error, 'SESSION_HAS_CHILDREN'))
    return new UsageError(`${session_id} has child sessions. Delete them too with --children.`);
  if (hasCode(error, 'SESSION_ACTIVE'))
    return new UsageError(
      `${session_id} is still active. Finish it with 'amplifier continue ${session_id}', stop it with 'amplifier cancel ${session_id}', or delete it with --force.`,
    );
  return error;
}

/** What the trash still holds after so long is removed for good. */
const TRASH_DAYS = 30;

export async function sessionCleanup(cli: Cli, options: Options): Promise<number> {
  await using store = await openStore(hostPaths(cli.cwd).sessions, cli.report);
  const report = await retainSessions(store, {
    older_than_days: whole('--days', options.days, 0),
    keep_last: whole('--keep', options.keep, 0),
    dry_run: Boolean(options.dryRun),
  });
  const emptied = options.dryRun ? [] : await store.emptyTrash(TRASH_DAYS);
  if (cli.json) {
    cli.printJson({ ...report, removed_for_good: emptied });
    return 0;
  }
  for (const session_id of report.session_ids) cli.print(session_id);
  const verb = report.dry_run ? 'would be moved to the trash' : 'moved to the trash';
  cli.say(
    `${report.session_ids.length} sessions ${verb}, ${Math.round(report.bytes / 1024)} KB; ${emptied.length} removed for good.`,
  );
  return 0;
}
