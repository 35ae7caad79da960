import {
  type FoundSession,
  hostPaths,
  interruptedIn,
  openQueue,
  openStore,
  type SessionStore,
  storePlaces,
  textOf,
} from '@amplifier/host';
import type { Cli } from './cli.js';
import { sessionTitle, shortId, shortTime } from './session-title.js';
import { fit } from './terminal/fit.js';
import { UsageError } from './usage-error.js';

/** Sessions that are offered: as many as a person looks through. */
const OFFERED = 50;

/** Lets the person choose a session of this folder: typing searches, the end of each is shown beside it. Null when they leave. */
export async function pickSession(cli: Cli): Promise<FoundSession | null> {
  if (!cli.interactive)
    throw new UsageError(
      "Name a session: 'amplifier session list' shows the ids. --continue takes the newest.",
    );
  const [place] = await storePlaces(hostPaths(cli.cwd));
  if (!place) return null;
  await using store = await openStore(place.sessions, cli.report);
  await using queue = await openQueue(place.queue, cli.report);
  const interrupted = interruptedIn(store, queue);
  const { sessions } = await store.list({ parent_id: null, limit: OFFERED });
  if (sessions.length === 0)
    throw new UsageError('There is no session of this folder yet. Start one with: amplifier run "…"');
  const prompts = await import('@clack/prompts');
  const options = await Promise.all(
    sessions.map(async (session) => ({
      value: session.session_id,
      label: fit((await sessionTitle(store, session)) || shortId(session.session_id), cli.width - 12),
      hint: fit(
        `${shortTime(session.created)}${(await interrupted(session)) ? ', interrupted' : ''}: ${await lastWords(store, session.session_id)}`,
        Math.max(20, cli.width - 12),
      ),
    })),
  );
  const chosen = await prompts.autocomplete({
    message: 'Which session? Type to filter.',
    options,
    maxItems: 10,
  });
  if (prompts.isCancel(chosen)) return null;
  const { working_dir } = await store.metadata(chosen);
  return { session_id: chosen, place, working_dir };
}

async function lastWords(store: SessionStore, session_id: string): Promise<string> {
  const last = await store.tail(session_id, 4).catch(() => []);
  const said = last.findLast(({ role, content }) => role === 'assistant' && textOf(content).trim() !== '');
  return said ? textOf(said.content) : '';
}
