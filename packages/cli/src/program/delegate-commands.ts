import { type Command, Option } from 'commander';
import type { Bind } from '../program.js';
import { addSessionOptions } from './run-commands.js';

const collect = (value: string, all: string[] = []): string[] => [...all, value];

export function addDelegateCommands(program: Command, bind: Bind): void {
  const delegate = program
    .command('delegate')
    .argument('<agent>', 'who does it; self for a copy of the parent')
    .argument('<instruction>', 'what to do; - reads it from standard input')
    .description('hand a task to an agent, as a session does')
    .option('--parent <id>', 'on behalf of this session, with its conversation')
    .option('--session-id <id>', 'go on with this child instead of making a new one')
    .addOption(
      new Option('--context-depth <depth>', 'how much of the conversation goes along').choices([
        'none',
        'recent',
        'all',
      ]),
    )
    .option('--context-turns <n>', 'how many turns are recent')
    .addOption(
      new Option('--context-scope <scope>', 'what of it goes along').choices([
        'conversation',
        'agents',
        'full',
      ]),
    )
    .option('--prefer <provider/model>', 'a model to run on, best first; may be given again', collect)
    .option('--strict-models', 'fail when none of the preferred models is available')
    .addOption(new Option('--isolation <kind>', 'work in a copy').choices(['none', 'worktree', 'copy']))
    .option('--inherit-tool <name>', 'only these tools of the parent; may be given again', collect)
    .option('--exclude-tool <name>', 'without this tool; may be given again', collect)
    .option('--output-schema <file>', 'the answer must fit this JSON Schema')
    .option('--background', 'return at once; ask for it later with wait');
  addSessionOptions(delegate).addHelpText(
    'after',
    `
Examples:
  amplifier delegate explorer "where is the retry logic?"
  amplifier delegate reviewer --background --json "review src/"   then: amplifier wait ID
  amplifier delegate zen-architect --parent 01J --context-depth all "design it"`,
  );
  bind(delegate, async (cli, [agent, instruction], options) =>
    (await import('../commands/delegate.js')).delegate(cli, agent ?? '', instruction ?? '', options),
  );
  const wait = program
    .command('wait')
    .argument('<ids...>', 'sessions')
    .description('wait until sessions have ended, and print what came of them')
    .option('--any', 'until the first of them has')
    .option('--timeout <seconds>', 'wait no longer than this');
  bind(wait, async (cli, [ids], options) =>
    (await import('../commands/wait.js')).wait(cli, [ids ?? []].flat(), options),
  );
  const status = program.command('status').argument('<id>').description('how a session stands');
  bind(status, async (cli, [id]) => (await import('../commands/status.js')).status(cli, id ?? ''));
  const message = program
    .command('message')
    .argument('<id>')
    .argument('<text>')
    .description('tell a running session something, or answer its question');
  bind(message, async (cli, [id, text]) =>
    (await import('../commands/message.js')).message(cli, id ?? '', text ?? ''),
  );
  const cancel = program
    .command('cancel')
    .argument('<id>')
    .description('stop a session and everything below it')
    .option('--now', 'at once, not after the present step');
  bind(cancel, async (cli, [id], options) =>
    (await import('../commands/cancel.js')).cancel(cli, id ?? '', options),
  );
  const worker = program
    .command('worker', { hidden: true })
    .description('run what waits in the background, until there is nothing more')
    .option('--offline');
  bind(worker, async (cli, _, options) => (await import('../commands/worker.js')).worker(cli, options));
}
