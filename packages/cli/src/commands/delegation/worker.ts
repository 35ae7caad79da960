import type { Cli } from '../../cli.js';
import { openCliHost } from '../../open/open-host.js';
import type { Options } from '../../program/bind.js';
import { endOnSignal } from '../../stop-on-signal.js';

/** Runs what waits in the background of this folder, and ends when there has been nothing for a while. */
export async function worker(cli: Cli, options: Options): Promise<number> {
  await using host = await openCliHost(cli, { offline: Boolean(options.offline) });
  await host.serve(endOnSignal());
  return 0;
}
