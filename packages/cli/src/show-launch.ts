import type { LaunchRecord } from '@amplifier/host';
import { stringify } from 'yaml';
import type { Cli } from './cli.js';

/** What would be launched: the record, with the context that would go along. */
export function showLaunch(cli: Cli, launch: LaunchRecord): void {
  if (cli.json) cli.printJson(launch);
  else cli.print(stringify(launch, { lineWidth: 0, aliasDuplicateObjects: false }));
}
