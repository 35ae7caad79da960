import {
  hostPaths,
  interruptedIn,
  openQueue,
  openStore,
  type SessionSummary,
  storePlaces,
} from '@amplifier/host';
import type { Cli } from '../cli.js';
import type { Options } from '../program.js';
import { text, whole } from '../session-options.js';
import { sessionTitle, shortId } from '../session-title.js';
import { table } from '../terminal/fit.js';

/** The newest sessions, of this folder or of all. */
export async function sessionList(cli: Cli, options: Options): Promise<number> {
  const limit = whole('--limit', options.limit, 1);
  const paths = hostPaths(cli.cwd);
  const [here, ...others] = await storePlaces(paths);
  const places = options.allProjects ? [here, ...others] : [here];
  const query = {
    limit: Math.min(limit, 1000),
    ...(options.children ? {} : { parent_id: null }),
    ...(text(options.agent) ? { agent_name: String(options.agent) } : {}),
    ...(text(options.page) && !options.allProjects ? { cursor: String(options.page) } : {}),
  };
  const sessions: (SessionSummary & { project: string; about: string })[] = [];
  let next_cursor: string | null = null;
  for (const place of places) {
    if (!place) continue;
    await using store = await openStore(place.sessions, cli.report);
    await using queue = await openQueue(place.queue, cli.report);
    const interrupted = interruptedIn(store, queue);
    const page = await store.list(query);
    const told = page.sessions.map(async (session) => ({
      ...session,
      interrupted: await interrupted(session),
      project: place.slug,
      about: await sessionTitle(store, session),
    }));
    sessions.push(...(await Promise.all(told)));
    next_cursor = options.allProjects ? null : page.next_cursor;
  }
  const shown = sessions.sort((a, b) => (a.created < b.created ? 1 : -1)).slice(0, limit);
  if (cli.json) {
    cli.printJson({ sessions: shown, next_cursor });
    return 0;
  }
  const rows = shown.map(({ session_id, status, interrupted, created, agent_name, about, project }) => [
    shortId(session_id),
    interrupted ? 'interrupted' : status,
    created.slice(5, 16).replace('T', ' '),
    [options.allProjects && project !== '' ? `${project}:` : '', agent_name ? `${agent_name}:` : '', about]
      .filter(Boolean)
      .join(' ')
      .replace(/\s+/g, ' '),
  ]);
  for (const line of table(rows, cli.width)) cli.print(line);
  if (shown.length === 0) cli.say('There are no sessions here yet. Start one with: amplifier run "…"');
  if (shown.some(({ interrupted }) => interrupted))
    cli.say('Bring an interrupted session to its end with: amplifier continue ID');
  if (next_cursor !== null) cli.say(`More with: amplifier session list --page ${next_cursor}`);
  return 0;
}
