import { findSession, hostPaths, type RunRequest } from '@amplifier/host';
import type { Options } from '../bind.js';
import type { Cli } from '../cli.js';
import { newestSession } from '../newest-session.js';
import { openCliHost } from '../open-host.js';
import { readPrompt } from '../read-prompt.js';
import { fromFolder, readSessionOptions, text } from '../session-options.js';
import { showOutcome } from '../show-outcome.js';
import { stopOnSignal } from '../stop-on-signal.js';
import { Person } from '../terminal/person.js';
import { watchSession } from '../terminal/watch-session.js';
import { resumeTurn } from './session-resume.js';

/** One turn of a new session, or the next turn of an old one. */
export async function run(cli: Cli, words: string[], options: Options): Promise<number> {
  const session = readSessionOptions(cli, options);
  const file = text(options.file);
  const instruction = await readPrompt(words, file && fromFolder(cli.cwd, file));
  const resume = text(options.resume);
  if (resume !== undefined || options.continue) {
    const found =
      resume === undefined ? await newestSession(cli) : await findSession(resume, hostPaths(cli.cwd));
    return resumeTurn(cli, found, instruction, session);
  }
  const { form, limits, safety_mode, network, provider, model, role, fallback, attachments } = session;
  const person = new Person(cli, session.safety_mode);
  const { bundle, offline } = session;
  await using host = await openCliHost(cli, { bundle, offline, ...person.hostOptions });
  const request: RunRequest = {
    instruction,
    agent: text(options.agent),
    safety_mode,
    trusted: true,
    network,
    limits,
    provider,
    model,
    role,
    fallback,
    attachments,
  };
  if (options.dryRun) {
    const { showLaunch } = await import('../show-launch.js');
    showLaunch(cli, await host.planRun(request));
    return 0;
  }
  await host.requireTrustFor(request.agent, safety_mode);
  const stop = stopOnSignal(cli);
  const watcher = watchSession(cli, form);
  person.attend(host, watcher, stop.token);
  try {
    const { outcome, launch } = await host.run({
      ...request,
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
