import {
  type FoundSession,
  failoverFor,
  findSession,
  hostPaths,
  interruptedIn,
  type LaunchRecord,
  openQueue,
  openStore,
  type SafetyMode,
  type SessionStore,
  storePlaces,
  textOf,
} from '@amplifier/host';
import type { Cli } from '../../cli.js';
import { EXIT } from '../../exit-codes.js';
import { inFolderOf, openCliHost } from '../../open/open-host.js';
import { readPrompt } from '../../options/read-prompt.js';
import { readSessionOptions, type SessionOptions } from '../../options/session-options.js';
import { sessionTitle, shortId, shortTime } from '../../output/session-title.js';
import { showOutcome } from '../../output/show-outcome.js';
import type { Options } from '../../program/bind.js';
import { stopOnSignal } from '../../stop-on-signal.js';
import { fit } from '../../terminal/fit.js';
import { Person } from '../../terminal/person.js';
import { watchSession } from '../../terminal/watch-session.js';
import { UsageError } from '../../usage-error.js';

/** Continues with a session: one turn with an instruction, a conversation without one. */
export async function sessionResume(
  cli: Cli,
  id: string | undefined,
  words: string[],
  options: Options,
): Promise<number> {
  const session = readSessionOptions(cli, options);
  const found = id === undefined ? await pickSession(cli) : await findSession(id, hostPaths(cli.cwd));
  if (found === null) return EXIT.interrupted;
  if (words.length === 0 && cli.interactive) {
    if (session.attachments.length > 0)
      throw new UsageError(
        '--attach goes with an instruction. In a conversation, mention the file: @chart.png',
      );
    const { converse } = await import('../run/talk.js');
    return converse(cli, { resume: found, session });
  }
  return resumeTurn(cli, found, await readPrompt(words), session);
}

/** One more turn of a session of any project. It works in the folder it was started in. */
export async function resumeTurn(
  cli: Cli,
  found: FoundSession,
  instruction: string,
  { bundle, offline, form, safety_mode: named, safety_named, attachments, network, ...wish }: SessionOptions,
): Promise<number> {
  const { session_id, place } = found;
  const safety_mode = safety_named ? named : await modeOf(found);
  const person = new Person(cli, safety_mode);
  await using host = await openCliHost(inFolderOf(found, cli), {
    bundle,
    offline,
    place,
    ...person.hostOptions,
  });
  await host.requireTrustToResume(session_id, safety_mode);
  const rights = await host.rightsFor(session_id, safety_mode, true, false, network);
  const providers = await host.providersFor(offline, wish);
  const failover = failoverFor(wish);
  const stop = stopOnSignal(cli);
  const watcher = watchSession(cli, form);
  person.attend(host, watcher, stop.token);
  try {
    const { outcome, launch } = await host.delegator.resume(session_id, instruction, {
      cancellation: stop.token,
      onEvent: watcher.onEvent,
      attachments,
      rights: rights ?? undefined,
      providers: providers ?? undefined,
      failover,
    });
    watcher.close();
    return await showOutcome(cli, form, outcome, launch);
  } finally {
    person.leave();
    watcher.close();
    stop.release();
  }
}

/** A session stays in the mode it was started in unless another is asked for. */
async function modeOf({ session_id, place }: FoundSession): Promise<SafetyMode> {
  await using store = await openStore(place.sessions);
  const launch = (await store.document(session_id, 'launch')) as unknown as LaunchRecord | null;
  return launch?.safety_mode ?? 'read_only';
}

/** Sessions that are offered: as many as a person looks through. */
const OFFERED = 50;

/** Lets the person choose a session of this folder: typing searches, the end of each is shown beside it. Null when they leave. */
async function pickSession(cli: Cli): Promise<FoundSession | null> {
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
