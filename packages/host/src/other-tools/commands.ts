import { join } from 'node:path';
import { listAgentFiles, type OtherTool, readMarkdownFile } from '@amplifier/foundation';
import type { Project } from '../open-project.js';
import { enabledTools, userHome } from './enabled-tools.js';

/** An instruction that is kept in a file and asked for by name: `/name words`. */
export interface PromptCommand {
  name: string;
  description: string;
  /** `project`, `user`, or the other tool whose file it is. */
  origin: string;
  file: string;
  text: string;
}

const OPENCODE = ['command', 'commands'];

/** Where other tools keep theirs. */
const FOLDERS: readonly { tool: OtherTool; origin: string; project: string[]; user: string[] }[] = [
  {
    tool: 'claude_code',
    origin: 'claude-code',
    project: ['.claude/commands'],
    user: ['.claude/commands'],
  },
  {
    tool: 'opencode',
    origin: 'opencode',
    project: OPENCODE.map((name) => `.opencode/${name}`),
    user: OPENCODE.map((name) => `.config/opencode/${name}`),
  },
  { tool: 'codex', origin: 'codex', project: [], user: ['.codex/prompts'] },
];

type Source = Pick<Project, 'paths' | 'settings' | 'environment'>;

const MAX_COMMANDS = 500;

interface CommandFolder {
  folder: string;
  origin: string;
  /** What its files may not lead out of. */
  inside: string | null;
}

/** The commands of a project and its user by name, ours before those of other tools. A file that cannot be read is passed over. */
export async function promptCommands({
  paths,
  settings,
  environment,
}: Source): Promise<Map<string, PromptCommand>> {
  const tools = enabledTools(settings.settings);
  const home = userHome(environment);
  const theirs = FOLDERS.filter(({ tool }) => tools.has(tool)).flatMap(({ origin, project, user }) => [
    ...project.map((path) => ({
      folder: join(paths.cwd, path),
      origin: `${origin} project`,
      inside: paths.cwd,
    })),
    ...user.map((path) => ({ folder: join(home, path), origin: `${origin} user`, inside: null })),
  ]);
  const folders: CommandFolder[] = [
    { folder: join(paths.home, 'commands'), origin: 'user', inside: null },
    { folder: join(paths.project, 'commands'), origin: 'project', inside: paths.cwd },
    ...theirs,
  ];
  const commands = new Map<string, PromptCommand>();
  for (const folder of folders)
    for (const command of await commandsIn(folder))
      if (!commands.has(command.name)) commands.set(command.name, command);
  return commands;
}

async function commandsIn({ folder, origin, inside }: CommandFolder): Promise<PromptCommand[]> {
  const confined = inside === null ? {} : { confine_to: inside };
  const files = await listAgentFiles({ path: folder, origin, ...confined }).catch(() => []);
  const read = files.slice(0, MAX_COMMANDS).map(async ({ name, path }): Promise<PromptCommand[]> => {
    try {
      const { description, body } = await readMarkdownFile(path);
      return [{ name: name.replaceAll('/', ':'), description, origin, file: path, text: body }];
    } catch {
      return []; // Not a command; whoever asks for it by name is told that there is none.
    }
  });
  return (await Promise.all(read)).flat();
}

/** By its whole name, or by the last part of it: `/fix` is `git:fix` where no other is called so. */
export function findCommand(
  name: string,
  commands: ReadonlyMap<string, PromptCommand>,
): PromptCommand | undefined {
  return commands.get(name) ?? [...commands.values()].find((command) => command.name.endsWith(`:${name}`));
}

/** What `/name words` stands for: `$ARGUMENTS` is all the words, `$1` the first. Null for what is no known command. */
export function expandCommand(
  line: string,
  commands: ReadonlyMap<string, PromptCommand>,
): Pick<PromptCommand, 'text' | 'origin'> | null {
  const [, name = '', said = ''] = /^\/([\w:./-]+)(?:\s+([\s\S]*))?$/.exec(line.trim()) ?? [];
  const command = findCommand(name, commands);
  if (!command) return null;
  const words = said.match(/"[^"]*"|\S+/g)?.map((word) => word.replace(/^"(.*)"$/, '$1')) ?? [];
  const isTaken = /\$(ARGUMENTS|\d)/.test(command.text);
  const text = command.text
    .replaceAll('$ARGUMENTS', () => said)
    .replace(/\$(\d)/g, (_, digit: string) => words[Number(digit) - 1] ?? '');
  return { text: isTaken || said === '' ? text : `${text}\n\n${said}`, origin: command.origin };
}
