import { type FoundSession, findSession, hostPaths } from '@amplifier/host';
import type { Cli } from '../cli.js';
import { inFolderOf, openCliHost } from '../open-host.js';
import type { Options } from '../program.js';
import { readPrompt } from '../read-prompt.js';
import { readSessionOptions, type SessionOptions } from '../session-options.js';
import { showOutcome } from '../show-outcome.js';
import { stopOnSignal } from '../stop-on-signal.js';
import { Person } from '../terminal/person.js';
import { watchSession } from '../terminal/watch-session.js';

/** Goes on with a session: one turn with an instruction, a conversation without one. */
export async function sessionResume(
  cli: Cli,
  id: string,
  argument: string | undefined,
  options: Options,
): Promise<number> {
  const session = readSessionOptions(cli, options);
  const found = await findSession(id, hostPaths(cli.cwd));
  if (argument === undefined && cli.interactive) {
    const { talk } = await import('./talk.js');
    return talk(cli, { resume: found, offline: session.offline, bundle: session.bundle });
  }
  return resumeTurn(cli, found, await readPrompt(argument), session);
}

/** One more turn, wherever the session lies. It works in the folder it was started in. */
export async function resumeTurn(
  cli: Cli,
  found: FoundSession,
  instruction: string,
  { bundle, offline, form, safety_mode, ...wish }: SessionOptions,
): Promise<number> {
  const { session_id, place } = found;
  const person = new Person(cli, safety_mode);
  await using host = await openCliHost(inFolderOf(found, cli), {
    bundle,
    offline,
    place,
    ...person.hostOptions,
  });
  await host.requireTrustToResume(session_id);
  const providers = await host.providersFor(offline, wish);
  const stop = stopOnSignal(cli);
  const watcher = watchSession(cli, form);
  person.attend(host, watcher);
  try {
    const { outcome, launch } = await host.delegator.resume(session_id, instruction, {
      cancellation: stop.token,
      onEvent: watcher.onEvent,
      ...(providers ? { providers } : {}),
    });
    watcher.close();
    return showOutcome(cli, form, outcome, launch);
  } finally {
    person.leave();
    watcher.close();
    stop.release();
  }
}
