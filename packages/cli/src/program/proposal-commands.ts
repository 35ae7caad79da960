import type { Command } from 'commander';
import type { Bind } from '../program.js';

export function addProposalCommands(program: Command, bind: Bind): void {
  const load = () => import('../commands/proposals.js');
  const proposals = program
    .command('proposals')
    .description('manage proposed changes: list, apply, undo, discard');
  const every = (command: Command) =>
    command.option('--all', 'of every folder, not of the present one alone');
  bind(
    every(
      proposals
        .command('list', { isDefault: true })
        .alias('ls')
        .description('list the proposals, oldest first'),
    ),
    async (cli, _, options) => (await load()).proposalsList(cli, options),
  );
  const one = (name: string, description: string) =>
    proposals.command(name).argument('<id>', 'or the beginning of one').description(description);
  bind(one('show', 'show what a proposal would change'), async (cli, [id]) =>
    (await load()).proposalsShow(cli, id ?? ''),
  );
  bind(
    one('apply', 'make its changes: all of them, or none where a file was changed since').option(
      '-y, --yes',
      'also changes to files that other programs act by later, such as editor tasks and git hooks',
    ),
    async (cli, [id], options) => (await load()).proposalsApply(cli, id ?? '', options.yes === true),
  );
  bind(one('undo', 'undo an applied proposal, bit for bit'), async (cli, [id]) =>
    (await load()).proposalsUndo(cli, id ?? ''),
  );
  bind(one('discard', 'throw a proposal away').alias('rm'), async (cli, [id]) =>
    (await load()).proposalsDiscard(cli, id ?? ''),
  );
  bind(
    every(
      proposals
        .command('clean')
        .description('remove old proposals and their undo data')
        .option('--days <n>', 'older than this', '30')
        .option('--dry-run', 'only say what would be removed'),
    ),
    async (cli, _, options) => (await load()).proposalsClean(cli, options),
  );
}
