import type { Command } from 'commander';
import type { Bind } from './bind.js';

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
    const command = await import('../commands/trust/trust.js');
    // A folder of that name is written ./list.
    return options.list || folder === 'list'
      ? command.trustList(cli)
      : command.trust(cli, folder, options.yes === true);
  });
  const untrust = program
    .command('untrust')
    .argument('[folder]', 'default: the current folder')
    .description('stop trusting a folder');
  bind(untrust, async (cli, [folder]) => (await import('../commands/trust/trust.js')).untrust(cli, folder));
}

const SCOPES = [
  ['--user', 'for you in every project (default)'],
  ['--project', 'for everybody in this project'],
  ['--local', 'for you in this project'],
] as const;

export function addPermissionCommands(program: Command, bind: Bind): void {
  const permissions = program
    .command('permissions')
    .description('manage the rules that allow, ask about or deny tool calls');
  const command = async () => import('../commands/trust/permissions.js');
  bind(
    permissions
      .command('list', { isDefault: true })
      .description('list the rules that apply here and where each is stored'),
    async (cli) => (await command()).permissionsList(cli),
  );
  const add = permissions
    .command('add')
    .argument('<action>', 'allow, ask or deny')
    .argument('<rule>', 'tool and pattern, such as "bash: git status *"')
    .description('add a rule');
  const remove = permissions
    .command('remove')
    .argument('<rule>', 'as permissions list shows it')
    .description('remove a rule');
  for (const [flag, words] of SCOPES) {
    add.option(flag, words);
    remove.option(flag, words);
  }
  bind(add, async (cli, [action, rule], options) =>
    (await command()).permissionsAdd(cli, String(action), String(rule), options),
  );
  bind(remove, async (cli, [rule], options) =>
    (await command()).permissionsRemove(cli, String(rule), options),
  );
  bind(
    permissions
      .command('test')
      .argument('<call>', 'a tool and its input, such as "bash: git push"')
      .description('explain which rule decides about a call'),
    async (cli, [call]) => (await command()).permissionsTest(cli, String(call)),
  );
}
