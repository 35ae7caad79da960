import type { Command } from 'commander';
import type { Bind } from '../bind.js';

export function addTrustCommands(program: Command, bind: Bind): void {
  const trust = program
    .command('trust')
    .argument('[folder]', 'default: the current folder; list shows the trusted ones')
    .description(
      'trust a folder: agents may change files in it, and its own settings, agents and modules take effect',
    )
    .option('--list', 'list the trusted folders and what this one may do')
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
    .argument('[folder]', 'default: the current folder')
    .description('stop trusting a folder');
  bind(untrust, async (cli, [folder]) => (await import('../commands/trust.js')).untrust(cli, folder));
}
