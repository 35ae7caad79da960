import { CONTEXT_DEPTHS, CONTEXT_SCOPES, HAND_BACKS, ISOLATIONS } from '@amplifier/host/choices';
import { type Command, Option } from 'commander';
import type { Bind } from './bind.js';
import { addAttachOption, addSessionOptions } from './run-commands.js';

const collect = (value: string, all: string[] = []): string[] => [...all, value];

export function addDelegateCommands(program: Command, bind: Bind): void {
  const delegate = program
    .command('delegate')
    .argument('<agent>', 'the agent; self for a copy of the parent')
    .argument('<instruction...>', 'what to do; - at the end adds standard input')
    .description('delegate a task to an agent')
    .option('--parent <id>', 'delegate on behalf of this session, with its conversation')
    .option('--session-id <id>', 'resume this child instead of creating a new one')
    .addOption(
      new Option('--context-depth <depth>', 'how much of the conversation the agent gets').choices(
        CONTEXT_DEPTHS,
      ),
    )
    .option('--context-turns <n>', 'how many turns count as recent')
    .addOption(
      new Option('--context-scope <scope>', 'which parts of it the agent gets').choices(CONTEXT_SCOPES),
    )
    .option('--prefer <provider/model>', 'a model to run on, best first; may be repeated', collect)
    .option('--strict-models', 'fail when none of the preferred models is available')
    .addOption(new Option('--isolation <kind>', 'work in a copy; propose always does').choices(ISOLATIONS))
    .option('--inherit-tool <name>', 'inherit only this tool from the parent; may be repeated', collect)
    .option('--exclude-tool <name>', 'leave out this tool; may be repeated', collect)
    .option('--skill <name>', 'a skill the agent reads first; may be repeated', collect)
    .option('--output-schema <file>', 'the answer must fit this JSON Schema')
    .option('--max-result <n>', 'hand back at most this many characters; the session keeps the whole answer')
    .addOption(
      new Option('--hand-back <form>', 'hand back the whole answer, or a summary').choices(HAND_BACKS),
    )
    .option('--background', 'return at once; get the result later with wait');
  addAttachOption(addSessionOptions(delegate)).addHelpText(
    'after',
    `
Examples:
  amplifier delegate explorer "where is the retry logic?"
  amplifier delegate reviewer --background --json "review src/"   then: amplifier wait ID
  amplifier delegate zen-architect --parent 01J --context-depth all "design it"`,
  );
  bind(delegate, async (cli, [agent, instruction], options) =>
    (await import('../commands/delegation/delegate.js')).delegate(
      cli,
      agent ?? '',
      [instruction ?? []].flat(),
      options,
    ),
  );
  const wait = program
    .command('wait')
    .argument('<ids...>', 'sessions')
    .description('wait for sessions to end and print their results')
    .option('--any', 'stop waiting when the first one has ended')
    .option('--timeout <seconds>', 'wait no longer than this');
  bind(wait, async (cli, [ids], options) =>
    (await import('../commands/delegation/wait.js')).wait(cli, [ids ?? []].flat(), options),
  );
  const status = program.command('status').argument('<id>').description('show the status of a session');
  bind(status, async (cli, [id]) => (await import('../commands/delegation/status.js')).status(cli, id ?? ''));
  const message = program
    .command('message')
    .argument('<id>')
    .argument('<text>')
    .description('send a message to a running session, or answer its question');
  bind(message, async (cli, [id, text]) =>
    (await import('../commands/delegation/control.js')).message(cli, id ?? '', text ?? ''),
  );
  const cancel = program
    .command('cancel')
    .argument('<id>')
    .description('stop a session and everything below it')
    .option('--now', 'stop at once, not after the current step');
  bind(cancel, async (cli, [id], options) =>
    (await import('../commands/delegation/control.js')).cancel(cli, id ?? '', options),
  );
  const worker = program
    .command('worker', { hidden: true })
    .description('run queued background work until none is left')
    .option('--offline');
  bind(worker, async (cli, _, options) =>
    (await import('../commands/delegation/worker.js')).worker(cli, options),
  );
}
