import { findSession, hostPaths, type LaunchRecord, type RunRequest } from '@amplifier/host';
import type { Cli } from '../../cli.js';
import { newestSession } from '../../open/newest-session.js';
import { openCliHost } from '../../open/open-host.js';
import { readPrompt } from '../../options/read-prompt.js';
import { fromFolder, readSessionOptions, text } from '../../options/session-options.js';
import { showOutcome } from '../../output/show-outcome.js';
import type { Options } from '../../program/bind.js';
import { stopOnSignal } from '../../stop-on-signal.js';
import { Person } from '../../terminal/person.js';
import { watchSession } from '../../terminal/watch-session.js';
import { resumeTurn } from '../sessions/session-resume.js';

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
    await showLaunch(cli, await host.planRun(request));
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

/** Prints the launch record of a dry run, with the context that would be handed over. */
async function showLaunch(cli: Cli, launch: LaunchRecord): Promise<void> {
  if (cli.json) return cli.printJson(launch);
  const { stringify } = await import('yaml');
  cli.print(stringify(launch, { lineWidth: 0, aliasDuplicateObjects: false }));
}
