import { claimStdout } from '@amplifier/host';
import { serveStdio } from '@amplifier/mcp';
import type { Cli } from '../../cli.js';
import type { Options } from '../../program/bind.js';
import { tellOutputUnread } from '../../reader-gone.js';
import { endOnSignal } from '../../stop-on-signal.js';
import { version } from '../../version.js';

/** Serves an MCP client over standard input and output until it leaves. */
export async function mcp(cli: Cli, options: Options): Promise<number> {
  const signal = endOnSignal();
  await serveStdio({
    cwd: cli.cwd,
    offline: Boolean(options.offline),
    report: cli.report,
    version,
    signal,
    streams: { input: process.stdin, output: claimStdout({ signal, onUnread: tellOutputUnread }) },
  });
  return 0;
}
