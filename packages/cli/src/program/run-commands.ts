import { type Command, Option } from 'commander';
import type { Bind } from './bind.js';
import { addServeCommands } from './serve-commands.js';

const collect = (value: string, all: string[] = []): string[] => [...all, value];

/** The options that say how a session runs. Shared by everything that starts or continues with one. */
export function addSessionOptions(command: Command): Command {
  return command
    .option('--bundle <name>', 'the bundle to build the session from')
    .option('-p, --provider <name>', 'the provider to run on')
    .option('-m, --model <model>', 'the model to run on; a glob such as "claude-haiku-*" is allowed')
    .option('--role <role>', 'the model role to run on, such as fast or coding')
    .option('--fallback', 'let another provider take over when the one you named fails')
    .option('--max-cost <usd>', 'stop the whole tree before it costs more')
    .option('--allow-unpriced', 'with --max-cost: also use models whose price is unknown')
    .option('--max-tokens <n>', 'stop the whole tree before it uses more tokens')
    .option('--max-depth <n>', 'how many levels deep agents may delegate')
    .option('--max-turns <n>', 'how many model calls a session may make in one turn')
    .option('--timeout <seconds>', 'stop after this time; 0 for no limit')
    .addOption(
      new Option('--safety <mode>', 'what may be done to your files').choices([
        'read_only',
        'propose',
        'write',
        'yolo',
      ]),
    )
    .option('--network', 'let commands use the network also where the folder is not trusted')
    .option('--no-network', 'keep tools and commands off the network; the model is still reached')
    .option('--offline', 'run on fixed rules instead of a model: no key, no network')
    .option('--strict', 'fail when a module, MCP server or hook cannot be loaded')
    .addOption(
      new Option(
        '--output <form>',
        'text, json (one result) or jsonl (every event, then the result)',
      ).choices(['text', 'json', 'jsonl']),
    );
}

/** For commands that are given one prompt. */
export function addAttachOption(command: Command): Command {
  return command.option(
    '--attach <file>',
    'send an image or a text file with the prompt; may be repeated',
    collect,
  );
}

/** What the program does when no command is named. */
export function addTalkCommand(program: Command, bind: Bind, unknown: (word: string) => Error): void {
  const talk = program
    .command('talk', { isDefault: true })
    .description('start a conversation in this terminal (the default command)')
    .allowExcessArguments()
    .option('--resume <id>', 'continue a conversation, by the first characters of its id')
    .option('-c, --continue', 'continue the newest conversation of this folder');
  bind(addSessionOptions(talk), async (cli, _args, options) => {
    const [word] = talk.args;
    if (word !== undefined) throw unknown(word);
    return (await import('../commands/run/talk.js')).talk(cli, options);
  });
}

function addUndoCommand(program: Command, bind: Bind): void {
  const undo = program
    .command('undo')
    .argument('[id]', 'a session, by the first characters of its id; default: the newest of this folder')
    .description('undo the file changes of the last turn')
    .option('--dry-run', 'only print what would be done')
    .option('-y, --yes', 'do not ask');
  bind(undo, async (cli, [id], options) =>
    (await import('../commands/changes/undo.js')).undo(cli, id, options),
  );
}

export function addRunCommands(program: Command, bind: Bind): void {
  const run = program
    .command('run')
    .argument('[prompt...]', 'what to do; - at the end adds standard input')
    .description('run one turn and print the answer')
    .option('-f, --file <path>', 'read the prompt from a file')
    .option('-a, --agent <name>', 'run as this agent')
    .option('--resume <id>', 'give a session another instruction, by the first characters of its id')
    .option('-c, --continue', 'give the newest session of this folder another instruction')
    .option('--dry-run', 'print what would be launched without launching it');
  addAttachOption(addSessionOptions(run)).addHelpText(
    'after',
    `
Examples:
  amplifier run "what does this repository do?"
  amplifier run --agent reviewer --safety read_only "look at the last commit"
  git diff | amplifier run "write a commit message for this" -
  amplifier run --offline "read README.md"
  amplifier run --max-cost 0.50 --timeout 600 --json "fix the failing test"`,
  );
  bind(run, async (cli, [prompt], options) =>
    (await import('../commands/run/run.js')).run(cli, [prompt ?? []].flat(), options),
  );
  const demo = program
    .command('demo')
    .description('run a real delegation without a key and without the network');
  bind(demo, async (cli) => (await import('../commands/run/demo.js')).demo(cli));
  const mcp = program
    .command('mcp')
    .description('serve an MCP client, such as an IDE, over standard input and output')
    .option('--offline', 'run on fixed rules instead of a model: no key, no network');
  bind(mcp, async (cli, _args, options) => (await import('../commands/servers/mcp.js')).mcp(cli, options));
  const importRutherford = mcp
    .command('import-rutherford')
    .argument('[file]', 'its TOML file; default: the one Rutherford would use here')
    .description('import a Rutherford configuration; existing settings win')
    .option('--user', 'for you in every project')
    .option('--project', 'for everybody in this project')
    .option('--local', 'for you in this project')
    .option('--dry-run', 'only print what would be imported');
  bind(importRutherford, async (cli, [file], options) =>
    (await import('../commands/agents/import-rutherford.js')).importRutherford(cli, file, options),
  );
  addServeCommands(program, bind);
  const acp = program
    .command('acp')
    .description('serve an editor that speaks ACP, such as Zed, over standard input and output')
    .option('--bundle <name>', 'the bundle to build sessions from')
    .option('--offline', 'run on fixed rules instead of a model: no key, no network');
  bind(acp, async (cli, _args, options) => (await import('../commands/servers/acp.js')).acp(cli, options));
  addUndoCommand(program, bind);
}
