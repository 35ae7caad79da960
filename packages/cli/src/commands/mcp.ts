import { serveStdio } from '@amplifier/mcp';
import type { Cli } from '../cli.js';
import type { Options } from '../program.js';
import { onReaderGone } from '../reader-gone.js';
import { version } from '../version.js';

/** Serves an MCP client over standard input and output until it leaves. */
export async function mcp(cli: Cli, options: Options): Promise<number> {
  const stop = new AbortController();
  const abort = () => stop.abort();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, abort);
  onReaderGone(abort);
  await serveStdio({
    cwd: cli.cwd,
    offline: Boolean(options.offline),
    report: cli.report,
    version,
    signal: stop.signal,
  });
  return 0;
}
