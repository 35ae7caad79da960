import type { Command } from 'commander';
import type { LoadScript } from '../load-script.js';
import type { Bind } from '../program.js';

export function addAgentCommands(program: Command, bind: Bind, loadScript: LoadScript): void {
  const agent = program.command('agent').description('the agents that can be delegated to');
  const list = agent.command('list').alias('ls').description('every agent and where it comes from');
  list.option('--all', 'external agents that are not installed, too');
  bind(list.option('--bundle <name>', 'as seen from this bundle'), async (cli, _, options) =>
    loadScript<typeof import('../commands/agent-list.js')>('agent-list').agentList(cli, options),
  );
  const show = agent
    .command('show')
    .argument('<name>')
    .description('the configuration of an agent, where it comes from and what it hides')
    .option('--bundle <name>', 'as seen from this bundle');
  bind(show, async (cli, [name], options) =>
    (await import('../commands/agent-show.js')).agentShow(cli, name ?? '', options),
  );
  const validate = agent
    .command('validate')
    .argument('[files...]', 'agent files; without any, all that can be found')
    .description('check agent files');
  bind(validate, async (cli, args) =>
    (await import('../commands/agent-validate.js')).agentValidate(cli, args.flat() as string[]),
  );
  const create = agent
    .command('new')
    .argument('<name>')
    .description('write a new agent file to start from')
    .option('--user', 'for you in every project, not for this project alone')
    .option('-d, --description <text>', 'what the agent is good for');
  bind(create, async (cli, [name], options) =>
    (await import('../commands/agent-new.js')).agentNew(cli, name ?? '', options),
  );
}
