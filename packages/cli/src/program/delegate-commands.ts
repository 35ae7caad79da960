import {
  CONTEXT_DEPTHS,
  CONTEXT_SCOPES,
  HAND_BACKS,
  ISOLATIONS,
  MEMBER_TEXTS,
} from '@amplifier/host/choices';
import { type Command, Option } from 'commander';
import type { Bind } from './bind.js';
import { addAttachOption, addSessionOptions } from './run-commands.js';

type Member = keyof typeof MEMBER_TEXTS;

/** The option for a member of a delegation request, with the text that its schema has. */
function member(name: Member, flags: string, note = ''): Option {
  const text = MEMBER_TEXTS[name]
    .replace(/\.$/, '')
    .replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase());
  return new Option(flags, text + note);
}

function repeated(name: Member, flags: string): Option {
  return member(name, flags, ' (may be repeated)').argParser((value: string, all: string[] = []) => [
    ...all,
    value,
  ]);
}

export function addDelegateCommands(program: Command, bind: Bind): void {
  const delegate = program
    .command('delegate')
    .argument('<agent>', 'the agent; self for a copy of the parent')
    .argument('<instruction...>', 'what to do; - at the end adds standard input')
    .description('delegate a task to an agent')
    .option('--parent <id>', 'delegate on behalf of this session, with its conversation')
    .addOption(member('session_id', '--session-id <id>'))
    .addOption(member('context_depth', '--context-depth <depth>').choices(CONTEXT_DEPTHS))
    .addOption(member('context_turns', '--context-turns <n>'))
    .addOption(member('context_scope', '--context-scope <scope>').choices(CONTEXT_SCOPES))
    .addOption(repeated('provider_preferences', '--prefer <provider/model>'))
    .addOption(member('strict_preferences', '--strict-models'))
    .addOption(member('isolation', '--isolation <kind>', ' (propose always does)').choices(ISOLATIONS))
    .addOption(repeated('inherit_tools', '--inherit-tool <name>'))
    .addOption(repeated('exclude_tools', '--exclude-tool <name>'))
    .addOption(repeated('skills', '--skill <name>'))
    .addOption(member('output_schema', '--output-schema <file>'))
    .addOption(member('max_result', '--max-result <n>'))
    .addOption(member('hand_back', '--hand-back <form>').choices(HAND_BACKS))
    .addOption(member('background', '--background', ' (amplifier wait)'));
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
