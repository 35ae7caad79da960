import { type Command, Option } from 'commander';
import type { Bind } from '../program.js';

/** The options that say how a session runs. Shared by everything that starts or goes on with one. */
export function addSessionOptions(command: Command): Command {
  return command
    .option('--bundle <name>', 'the bundle the session is made of')
    .option('-p, --provider <name>', 'the provider to run on')
    .option('-m, --model <model>', 'the model to run on; a glob such as "claude-haiku-*" is allowed')
    .option('--role <role>', 'the kind of model to run on, such as fast or coding')
    .option('--fallback', 'let another provider take over when the one you named fails')
    .option('--max-cost <usd>', 'stop the whole tree before it costs more')
    .option('--allow-unpriced', 'with --max-cost: use models whose price is not known, too')
    .option('--max-tokens <n>', 'stop the whole tree before it uses more tokens')
    .option('--max-depth <n>', 'how deep agents may delegate further')
    .option('--max-turns <n>', 'model calls of one session in one turn')
    .option('--timeout <seconds>', 'stop after so long; 0 for no limit')
    .addOption(
      new Option('--safety <mode>', 'what may be done to your files').choices([
        'read_only',
        'propose',
        'write',
        'yolo',
      ]),
    )
    .option('--offline', 'run on fixed rules instead of a model: no key, no network')
    .option('--strict', 'fail when a module, MCP server or hook cannot be loaded')
    .addOption(
      new Option(
        '--output <form>',
        'text, json (one result) or jsonl (every event, then the result)',
      ).choices(['text', 'json', 'jsonl']),
    );
}

/** What the program does when no command is named. */
export function addTalkCommand(program: Command, bind: Bind, unknown: (word: string) => Error): void {
  const talk = program
    .command('talk', { isDefault: true })
    .description('talk in this terminal, turn by turn; also without a command')
    .allowExcessArguments()
    .option('--resume <id>', 'continue a conversation, by the beginning of its id')
    .option('-c, --continue', 'continue the newest conversation of this folder');
  bind(addSessionOptions(talk), async (cli, _args, options) => {
    const [word] = talk.args;
    if (word !== undefined) throw unknown(word);
    return (await import('../commands/talk.js')).talk(cli, options);
  });
}

export function addRunCommands(program: Command, bind: Bind): void {
  const run = program
    .command('run')
    .argument('[prompt]', 'what to do; - reads it from standard input')
    .description('run one turn and print the answer')
    .option('-f, --file <path>', 'read the prompt from a file')
    .option('-a, --agent <name>', 'be this agent')
    .option('--resume <id>', 'give a session another instruction, by the beginning of its id')
    .option('-c, --continue', 'give the newest session of this folder another instruction')
    .option('--dry-run', 'print what would be launched, and launch nothing');
  addSessionOptions(run).addHelpText(
    'after',
    `
Examples:
  amplifier run "what does this repository do?"
  amplifier run --agent reviewer --safety read_only "look at the last commit"
  git diff | amplifier run "write a commit message for this" -
  amplifier run --offline "read README.md"
  amplifier run --max-cost 0.50 --timeout 600 --json "fix the failing test"`,
  );
  bind(run, async (cli, [prompt], options) => (await import('../commands/run.js')).run(cli, prompt, options));
  const demo = program
    .command('demo')
    .description('see a real delegation, without a key and without the network');
  bind(demo, async (cli) => (await import('../commands/demo.js')).demo(cli));
  const mcp = program
    .command('mcp')
    .description('serve an MCP client, such as an IDE, over standard input and output')
    .option('--offline', 'run on fixed rules instead of a model: no key, no network');
  bind(mcp, async (cli, _args, options) => (await import('../commands/mcp.js')).mcp(cli, options));
  const serve = program
    .command('serve')
    .description('serve web apps over REST, as amplifierd does, until it is told to stop')
    .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
    .option('--port <number>', 'port to listen on, 0 for any free one (default: 8420)')
    .option('--insecure', 'listen beyond the loopback without TLS')
    .addOption(
      new Option('--log-level <level>', 'what goes into the log').choices([
        'debug',
        'info',
        'warn',
        'error',
        'silent',
      ]),
    );
  bind(serve, async (cli, _args, options) => (await import('../commands/serve.js')).serve(cli, options));
  const acp = program
    .command('acp')
    .description('serve an editor that speaks ACP, such as Zed, over standard input and output')
    .option('--bundle <name>', 'the bundle sessions are made of')
    .option('--offline', 'run on fixed rules instead of a model: no key, no network');
  bind(acp, async (cli, _args, options) => (await import('../commands/acp.js')).acp(cli, options));
}
