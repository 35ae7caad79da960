import {
  type FoundSession,
  failoverFor,
  findSession,
  hostPaths,
  type LaunchRecord,
  openStore,
  type SafetyMode,
} from '@amplifier/host';
import type { Options } from '../bind.js';
import type { Cli } from '../cli.js';
import { EXIT } from '../exit-codes.js';
import { inFolderOf, openCliHost } from '../open-host.js';
import { pickSession } from '../pick-session.js';
import { readPrompt } from '../read-prompt.js';
import { readSessionOptions, type SessionOptions } from '../session-options.js';
import { showOutcome } from '../show-outcome.js';
import { stopOnSignal } from '../stop-on-signal.js';
import { Person } from '../terminal/person.js';
import { watchSession } from '../terminal/watch-session.js';
import { UsageError } from '../usage-error.js';

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
    const { converse } = await import('./talk.js');
    return converse(cli, { resume: found, session });
  }
  return resumeTurn(cli, found, await readPrompt(words), session);
}

/** One more turn, wherever the session lies. It works in the folder it was started in. */
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
      ...(rights ? { rights } : {}),
      ...(providers ? { providers } : {}),
      ...(failover === undefined ? {} : { failover }),
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
