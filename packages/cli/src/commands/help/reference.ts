import type { Command } from 'commander';
import type { Cli } from '../../cli.js';

/** Columns of the help texts in the reference, whatever the terminal has. */
const WIDTH = 100;

/** How the commands look in a terminal; how to work with them is in terminal.md. */
const PICTURES = `Screens and keys: [Amplifier in the terminal](terminal.md).

![A conversation: amplifier](terminal/talk.svg)

![An approval question with its diff](terminal/approval.svg)

![Children as a live tree](terminal/tree.svg)

![A killed session, finished by amplifier continue](terminal/continue.svg)`;

/** The whole command line as one Markdown document, from the program itself. */
export async function reference(cli: Cli, program: Command): Promise<number> {
  const sections = commandsOf(program, []).map(
    ({ path, help }) => `## ${path}\n\n\`\`\`\n${help.trim()}\n\`\`\`\n`,
  );
  cli.print(
    `# The command line\n\nWritten by \`amplifier reference > docs/cli.md\`; a test fails if it is out of date.\n\n${PICTURES}\n\n${sections.join('\n')}`,
  );
  return 0;
}

function commandsOf(command: Command, above: string[]): { path: string; help: string }[] {
  const path = [...above, command.name()];
  const visible = command.commands.filter((sub) => !('_hidden' in sub && sub._hidden));
  return [
    { path: path.join(' '), help: helpOf(command) },
    ...visible.flatMap((sub) => commandsOf(sub, path)),
  ];
}

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
    getOutHelpWidth: () => WIDTH,
    getOutHasColors: () => false,
  });
  command.outputHelp();
  return text;
}
