import { join } from 'node:path';
import { amplifierHome, closestNames } from '@amplifier/host';
import { type Command, Option, Command as Program } from 'commander';
import { type Cli, makeCli } from '../cli.js';
import { EXIT_CODE_HELP } from '../exit-codes.js';
import type { LoadScript } from '../load-script.js';
import { logFile } from '../log-file.js';
import { UsageError } from '../usage-error.js';
import { version } from '../version.js';
import { addAgentCommands } from './agent-commands.js';
import type { Bind, Options } from './bind.js';
import { addConfigCommands } from './config-commands.js';
import { addDelegateCommands } from './delegate-commands.js';
import { addExtensionCommands } from './extension-commands.js';
import { addProposalCommands } from './proposal-commands.js';
import { addRunCommands, addTalkCommand } from './run-commands.js';
import { addSessionCommands } from './session-commands.js';
import { addPermissionCommands, addTrustCommands } from './trust-commands.js';

const EXAMPLES = `
Examples:
  amplifier                                   start a conversation in this folder
  amplifier run "review the last commit"      run one turn; the session may delegate
  git diff | amplifier run --agent reviewer - from a pipe, to one agent
  amplifier agent list                        list the agents and where each comes from
  amplifier session resume 01J "continue"     any session, by the first characters of its id
  amplifier demo                              run a demo without a key and without the network
`;

/** The whole command line. Knows names, options and words; everything it does is imported when it is asked for. */
export function buildProgram(loadScript: LoadScript, onExitCode: (code: number) => void): Command {
  const program = new Program('amplifier');
  program
    .description('Hand a task to an agent and get back a result you can trust.')
    .version(`amplifier ${version}`, '-V, --version', 'print the version')
    .addOption(new Option('--cwd <folder>', 'work in this folder').default(process.cwd(), 'the current one'))
    .option('--json', 'print the result as one JSON document')
    .option('-q, --quiet', 'print the result and nothing else')
    .option('-v, --verbose', 'print more detail')
    .option('--debug', 'show where an error came from')
    .helpOption('-h, --help', 'show help for a command')
    .helpCommand('help [command]', 'show help for a command')
    .configureHelp({ sortSubcommands: false, showGlobalOptions: false })
    .addHelpText('after', `${EXAMPLES}\n${EXIT_CODE_HELP}`)
    .showHelpAfterError('(add --help for usage)')
    .exitOverride();
  const bind: Bind = (command, handler) =>
    command.action(async (...received: unknown[]) => {
      const self = received.at(-1) as Command;
      const options = self.optsWithGlobals<Options>();
      const args = received.slice(0, -2) as (string | undefined)[];
      onExitCode((await handler(cliOf(options), args, options)) ?? 0);
    });
  addTalkCommand(program, bind, (word) => unknownCommand(word, program));
  addRunCommands(program, bind);
  addAgentCommands(program, bind, loadScript);
  addDelegateCommands(program, bind);
  addSessionCommands(program, bind);
  addProposalCommands(program, bind);
  addTrustCommands(program, bind);
  addPermissionCommands(program, bind);
  addConfigCommands(program, bind);
  addExtensionCommands(program, bind);
  return program;
}

function unknownCommand(word: string, program: Command): UsageError {
  const [guess] = closestNames(
    word,
    program.commands.map((command) => command.name()),
  );
  const hint = guess ? `Did you mean '${guess}'?` : `To ask for something: amplifier run "${word} …"`;
  return new UsageError(`There is no command '${word}'. ${hint}`);
}

function cliOf({ cwd, json, quiet, verbose, debug, strict }: Options): Cli {
  const flags = {
    json: Boolean(json),
    quiet: Boolean(quiet),
    verbose: Boolean(verbose),
    debug: Boolean(debug),
    strict: Boolean(strict),
  };
  return makeCli({ cwd: String(cwd), ...flags }, logFile(join(amplifierHome(), 'logs', 'amplifier.log')));
}
