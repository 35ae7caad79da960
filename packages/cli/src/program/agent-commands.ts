import type { Command } from 'commander';
import type { LoadScript } from '../load-script.js';
import type { Bind } from './bind.js';

export function addAgentCommands(program: Command, bind: Bind, loadScript: LoadScript): void {
  const agent = program.command('agent').description('list, show, check and create agents');
  const list = agent.command('list').alias('ls').description('list the agents and where each comes from');
  list.option('--all', 'include external agents that are not installed');
  bind(list.option('--bundle <name>', 'use the agents of this bundle'), async (cli, _, options) =>
    loadScript<typeof import('../commands/agents/agent-list.js')>('agent-list').agentList(cli, options),
  );
  const show = agent
    .command('show')
    .argument('<name>')
    .description('show an agent, where it comes from and which agents it hides')
    .option('--bundle <name>', 'use the agents of this bundle');
  bind(show, async (cli, [name], options) =>
    (await import('../commands/agents/agent-show.js')).agentShow(cli, name ?? '', options),
  );
  const validate = agent
    .command('validate')
    .argument('[files...]', 'agent files; default: all agents found here')
    .description('check agent files');
  bind(validate, async (cli, args) =>
    (await import('../commands/agents/agent-validate.js')).agentValidate(cli, args.flat() as string[]),
  );
  const create = agent
    .command('new')
    .argument('<name>')
    .description('create an agent file to start from')
    .option('--user', 'store it for you in every project, not for this one')
    .option('-d, --description <text>', 'what the agent is good for');
  bind(create, async (cli, [name], options) =>
    (await import('../commands/agents/agent-new.js')).agentNew(cli, name ?? '', options),
  );
}
