import { type FoundSession, findSession, hostPaths } from '@amplifier/host';
import type { Cli } from '../../cli.js';
import { newestSession } from '../../open/newest-session.js';
import { readSessionOptions, type SessionOptions, text } from '../../options/session-options.js';
import type { Options } from '../../program/bind.js';

export interface TalkOptions {
  resume?: FoundSession | undefined;
  session: SessionOptions;
}

/** A conversation in the terminal; without one, the prompt comes from standard input. */
export async function talk(cli: Cli, options: Options): Promise<number> {
  if (!cli.interactive) {
    const { run } = await import('./run.js');
    return run(cli, [], options);
  }
  const resume = text(options.resume);
  const found =
    resume !== undefined
      ? await findSession(resume, hostPaths(cli.cwd))
      : options.continue
        ? await newestSession(cli)
        : undefined;
  return converse(cli, { session: readSessionOptions(cli, options), resume: found });
}

export async function converse(cli: Cli, options: TalkOptions): Promise<number> {
  const { holdConversation } = await import('../../talk/conversation.js');
  return holdConversation(cli, options);
}
