import { join } from 'node:path';
import { isPlainObject, type JsonObject } from '@amplifier/core';
import {
  claudeModel,
  listAgentFiles,
  membersOf,
  OPENCODE_CONFIGS,
  type OtherTool,
  parseOpencodeConfig,
  readMarkdownFile,
  textOf,
} from '@amplifier/foundation';
import type { Project } from '../project/project.js';
import { readSmallFile } from '../project/read-json-file.js';
import { enabledTools, userHome } from './enabled-tools.js';

/** An instruction that is kept in a file and asked for by name: `/name words`. */
export interface PromptCommand {
  name: string;
  description: string;
  /** What is to follow the name, in its author's words. */
  hint: string;
  /** `project`, `user`, or the other tool whose file it is. */
  origin: string;
  file: string;
  text: string;
  /** The model of its turn, as an agent says it. Empty: that of the session. */
  model: JsonObject;
  /** What its turn may do without asking, as rules. */
  allowed: string[];
}

const OPENCODE = ['command', 'commands'];
/** A skill may be asked for by a person, too. */
const CLAUDE_SKILLS = '.claude/skills';

interface ToolCommands {
  tool: OtherTool;
  origin: string;
  project: string[];
  user: string[];
}

/** Where other tools keep theirs. */
const FOLDERS: readonly ToolCommands[] = [
  {
    tool: 'claude_code',
    origin: 'claude-code',
    project: ['.claude/commands', CLAUDE_SKILLS],
    user: ['.claude/commands', CLAUDE_SKILLS],
  },
  {
    tool: 'opencode',
    origin: 'opencode',
    project: [...OPENCODE.map((name) => `.opencode/${name}`), ...OPENCODE_CONFIGS, ...below('.opencode')],
    user: [...OPENCODE.map((name) => `.config/opencode/${name}`), ...below('.config/opencode')],
  },
  { tool: 'codex', origin: 'codex', project: [], user: ['.codex/prompts'] },
];

function below(folder: string): string[] {
  return OPENCODE_CONFIGS.map((name) => `${folder}/${name}`);
}

type Source = Pick<Project, 'paths' | 'settings' | 'environment'>;

const MAX_COMMANDS = 500;
const MAX_RULES_TEXT = 10_000;

interface CommandPlace {
  /** A folder of files, or settings. */
  path: string;
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
      path: join(paths.cwd, path),
      origin: `${origin} project`,
      inside: paths.cwd,
    })),
    ...user.map((path) => ({ path: join(home, path), origin: `${origin} user`, inside: null })),
  ]);
  const places: CommandPlace[] = [
    { path: join(paths.home, 'commands'), origin: 'user', inside: null },
    { path: join(paths.project, 'commands'), origin: 'project', inside: paths.cwd },
    ...theirs,
  ];
  const commands = new Map<string, PromptCommand>();
  for (const place of places)
    for (const command of await (/\.jsonc?$/.test(place.path) ? configured(place) : commandsIn(place)))
      if (!commands.has(command.name)) commands.set(command.name, command);
  return commands;
}

async function commandsIn({ path: folder, origin, inside }: CommandPlace): Promise<PromptCommand[]> {
  const confined = inside === null ? {} : { confine_to: inside };
  const kind = folder.endsWith(CLAUDE_SKILLS) ? { extension: 'SKILL.md' } : {};
  const files = await listAgentFiles({ path: folder, origin, ...confined, ...kind }).catch(() => []);
  const read = files.slice(0, MAX_COMMANDS).map(async ({ name, path }): Promise<PromptCommand[]> => {
    try {
      const { data, body } = await readMarkdownFile(path);
      if (data['user-invocable'] === false) return [];
      const called = name.replace(/\/$/, '').replaceAll('/', ':');
      return [commandOf(called, data, { origin, file: path, text: body })];
    } catch {
      return []; // Not a command; whoever asks for it by name is told that there is none.
    }
  });
  return (await Promise.all(read)).flat();
}

/** Those of opencode's settings. */
async function configured({ path: file, origin }: CommandPlace): Promise<PromptCommand[]> {
  try {
    const said = membersOf(parseOpencodeConfig((await readSmallFile(file)) ?? '{}', file), 'command');
    return Object.entries(said).flatMap(([name, data]) =>
      isPlainObject(data) && textOf(data.template) !== ''
        ? [commandOf(name, data, { origin, file, text: textOf(data.template) })]
        : [],
    );
  } catch {
    return []; // Whoever reads the servers of the file says what is wrong with it.
  }
}

function commandOf(
  name: string,
  data: JsonObject,
  rest: Pick<PromptCommand, 'origin' | 'file' | 'text'>,
): PromptCommand {
  const hint = data['argument-hint'];
  return {
    name,
    description: textOf(data.description),
    // `[issue]` is a list to YAML and a hint to people.
    hint: Array.isArray(hint) ? `[${hint.join(', ')}]` : textOf(hint),
    ...rest,
    model: modelOf(textOf(data.model)),
    allowed: rulesOf(data['allowed-tools']),
  };
}

/** opencode names the provider, too: `anthropic/claude-x`. */
function modelOf(said: string): JsonObject {
  const [, provider, model] = /^([^/]+)\/([^#]+)/.exec(said) ?? [];
  return provider && model ? { provider_preferences: [{ provider, model }] } : claudeModel(said);
}

/** A list, or text with commas or spaces between them; what stands in brackets belongs to the rule. */
function rulesOf(said: unknown): string[] {
  const text = Array.isArray(said)
    ? said.filter((rule) => typeof rule === 'string').join(', ')
    : textOf(said);
  // A part of a rule may allow more than the whole, and the pattern would take its time over much more text.
  if (text.length > MAX_RULES_TEXT) return [];
  return text.match(/[^\s,()]+(?:\([^)]*\))?/g) ?? [];
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
): PromptCommand | null {
  const [, name = '', said = ''] = /^\/([\w:./-]+)(?:\s+([\s\S]*))?$/.exec(line.trim()) ?? [];
  const command = findCommand(name, commands);
  if (!command) return null;
  const words = said.match(/"[^"]*"|\S+/g)?.map((word) => word.replace(/^"(.*)"$/, '$1')) ?? [];
  const isTaken = /\$(ARGUMENTS|\d)/.test(command.text);
  const text = command.text
    .replaceAll('$ARGUMENTS', () => said)
    .replace(/\$(\d)/g, (_, digit: string) => words[Number(digit) - 1] ?? '');
  return { ...command, text: isTaken || said === '' ? text : `${text}\n\n${said}` };
}
