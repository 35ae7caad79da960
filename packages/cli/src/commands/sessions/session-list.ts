import {
  type HostPaths,
  hostPaths,
  interruptedIn,
  openAllProjects,
  openQueue,
  openStore,
  projectSlug,
} from '@amplifier/host';
import type { Cli } from '../../cli.js';
import { text, whole } from '../../options/session-options.js';
import { sessionTitle, shortId, shortTime } from '../../output/session-title.js';
import type { Options } from '../../program/bind.js';
import { table } from '../../terminal/fit.js';

/** Columns below which only the beginning of an id and the title have room. */
const NARROW = 60;
const SHORT_ID = 14;
/** What the command line says where nobody names a limit. */
const DEFAULT_LIMIT = '20';

/** The newest sessions, of this folder or of all. */
export async function sessionList(cli: Cli, options: Options): Promise<number> {
  const limit = whole('--limit', options.limit, 1);
  const paths = hostPaths(cli.cwd);
  const query = {
    limit: Math.min(limit, 1000),
    parent_id: options.children ? undefined : null,
    agent_name: text(options.agent) || undefined,
    cursor: text(options.page) || undefined,
    deleted: Boolean(options.deleted),
  };
  const opened = options.allProjects ? await openAllProjects(paths, cli.report) : await openHere(paths, cli);
  await using store = opened.store;
  await using queue = opened.queue;
  // What was deleted cannot be continued.
  const interrupted = options.deleted ? async () => false : interruptedIn(store, queue);
  const here = projectSlug(cli.cwd);
  const { sessions, next_cursor } = await store.list(query);
  const shown = await Promise.all(
    sessions.map(async (session) => ({
      ...session,
      interrupted: await interrupted(session),
      project: session.project === here ? '' : (session.project ?? ''),
      about: await sessionTitle(store, session),
    })),
  );
  if (cli.json) {
    cli.printJson({ sessions: shown, next_cursor });
    return 0;
  }
  const rows = shown.map(({ session_id, status, interrupted, created, agent_name, about, project }) => {
    const facts = [
      options.allProjects && project !== '' ? `${project}:` : '',
      agent_name ? `${agent_name}:` : '',
      about,
    ];
    const title = facts.filter(Boolean).join(' ').replace(/\s+/g, ' ');
    // The beginning of an id is enough for every command, and what it is about is what a person looks for.
    if (cli.width < NARROW) return [shortId(session_id).slice(0, SHORT_ID), title];
    return [shortId(session_id), interrupted ? 'interrupted' : status, shortTime(created), title];
  });
  for (const line of table(rows, cli.width)) cli.print(line);
  if (shown.length === 0)
    cli.say(
      options.deleted
        ? 'The trash is empty.'
        : 'There are no sessions here yet. Start one with: amplifier run "…"',
    );
  else if (options.deleted) cli.say('Restore one with: amplifier session restore ID');
  if (shown.some(({ interrupted }) => interrupted))
    cli.say('Continue an interrupted session with: amplifier continue ID');
  if (next_cursor !== null)
    cli.say(`More with: amplifier session list${sameListing(options)} --page ${next_cursor}`);
  return 0;
}

/** The options that make the next page one of the same listing. */
function sameListing({ limit, allProjects, children, agent, deleted }: Options): string {
  return [
    String(limit) === DEFAULT_LIMIT ? '' : ` -n ${limit}`,
    allProjects ? ' --all-projects' : '',
    children ? ' --children' : '',
    text(agent) ? ` --agent ${agent}` : '',
    deleted ? ' --deleted' : '',
  ].join('');
}

async function openHere({ sessions, queue }: HostPaths, { report }: Cli) {
  return { store: await openStore(sessions, report), queue: await openQueue(queue, report) };
}
