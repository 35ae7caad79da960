import type { Command } from 'commander';
import type { Bind } from './bind.js';

export function addProposalCommands(program: Command, bind: Bind): void {
  const load = () => import('../commands/changes/proposals.js');
  const proposals = program
    .command('proposals')
    .description('manage proposed changes: list, apply, undo, discard');
  const every = (command: Command) => command.option('--all', 'include every folder, not only this one');
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
    proposals
      .command(name)
      .argument('<id>', 'a proposal, by the first characters of its id')
      .description(description);
  bind(one('show', 'show what a proposal would change'), async (cli, [id]) =>
    (await load()).proposalsShow(cli, id ?? ''),
  );
  bind(
    one('apply', 'apply a proposal: all of it, or nothing if a file has changed since').option(
      '-y, --yes',
      'also change files that other programs run later, such as editor tasks and git hooks',
    ),
    async (cli, [id], options) => (await load()).proposalsApply(cli, id ?? '', options.yes === true),
  );
  bind(one('undo', 'undo an applied proposal'), async (cli, [id]) =>
    (await load()).proposalsUndo(cli, id ?? ''),
  );
  bind(one('discard', 'delete a proposal').alias('rm'), async (cli, [id]) =>
    (await load()).proposalsDiscard(cli, id ?? ''),
  );
  bind(
    every(
      proposals
        .command('clean')
        .description('remove old proposals and their undo data')
        .option('--days <n>', 'only those older than this', '30')
        .option('--dry-run', 'only print what would be removed'),
    ),
    async (cli, _, options) => (await load()).proposalsClean(cli, options),
  );
}
