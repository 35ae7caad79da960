import type { FoundSession } from '@amplifier/host';
import type { Cli } from '../cli.js';

export interface TalkOptions {
  resume?: FoundSession;
  offline?: boolean;
  bundle?: string | undefined;
}

/** A conversation in the terminal; without one, the prompt comes from standard input. */
export async function talk(cli: Cli, options: TalkOptions): Promise<number> {
  if (!cli.interactive && options.resume === undefined) {
    const { run } = await import('./run.js');
    return run(cli, undefined, {});
  }
  const { holdConversation } = await import('../talk/conversation.js');
  return holdConversation(cli, options);
}
