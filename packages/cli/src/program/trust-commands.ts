import type { Command } from 'commander';
import type { Bind } from '../program.js';

export function addTrustCommands(program: Command, bind: Bind): void {
  const trust = program
    .command('trust')
    .argument('[folder]', 'default: the present one; list shows those that are trusted')
    .description('let agents change files in a folder, and let its own settings, agents and modules act')
    .option('--list', 'show the folders that are trusted, and what the present one may do')
    .option('-y, --yes', 'do not ask');
  bind(trust, async (cli, [folder], options) => {
    const command = await import('../commands/trust.js');
    // A folder of that name is written ./list.
    return options.list || folder === 'list'
      ? command.trustList(cli)
      : command.trust(cli, folder, options.yes === true);
  });
  const untrust = program
    .command('untrust')
    .argument('[folder]', 'default: the present one')
    .description('take a folder off the list again');
  bind(untrust, async (cli, [folder]) => (await import('../commands/trust.js')).untrust(cli, folder));
}
