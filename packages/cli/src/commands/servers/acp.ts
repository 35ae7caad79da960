import { AcpAgent, serveStdio } from '@amplifier/acp';
import { claimStdout } from '@amplifier/host';
import type { Cli } from '../../cli.js';
import { text } from '../../options/session-options.js';
import type { Options } from '../../program/bind.js';
import { tellOutputUnread } from '../../reader-gone.js';
import { endOnSignal } from '../../stop-on-signal.js';
import { version } from '../../version.js';
import { AcpFolders } from './acp-folders.js';

/** Serves an editor over standard input and output until it leaves. */
export async function acp(cli: Cli, options: Options): Promise<number> {
  const signal = endOnSignal();
  const output = claimStdout({ signal, onUnread: tellOutputUnread });
  await using folders = new AcpFolders(cli, {
    offline: Boolean(options.offline),
    bundle: text(options.bundle),
    onQuestion: (question, delegator) => void agent.onQuestion(question, delegator),
    files: (session_id) => agent.files(session_id),
    terminal: (session_id) => agent.terminal(session_id),
  });
  const agent: AcpAgent = new AcpAgent({
    cwd: cli.cwd,
    version,
    open: (cwd, session_id) => folders.open(cwd, session_id),
  });
  await serveStdio(agent, { output, signal });
  return 0;
}
