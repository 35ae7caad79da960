import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { isPlainObject } from '@amplifier/core';
import { loadShellParser, UNKNOWN } from '@amplifier/modules';
import { isWithin } from '@amplifier/workspace';
import { completionsOf, pathOf, withFolders, withOwnVariables, withoutOutputs } from './file-names.js';
import { manifestsOf } from './runs-more.js';

/** Finds files of the project. */
export interface FileFinder {
  /** The files that an interpreter may load when it is given this path, which it completes in these ways. */
  loadedAt(path: string, completions: readonly string[]): Promise<string[]>;
  /** The folder at a path by its real path. Null if there is none in the project. */
  folderAt(path: string): Promise<string | null>;
}

/** What one command of a project runs. */
export interface RunCommand {
  /** As a person wrote it. */
  text: string;
  isHook: boolean;
  /** Files that it names, as paths. */
  paths: string[];
  /** Folders that it may run in, the project's own first. */
  folders: string[];
  /** Files that say what a program such as `npm` or `make` runs. They count by content alone, and sessions may change them. */
  manifests: string[];
  /** Scripts that it gives to an interpreter, by path. */
  scripts: Map<string, string>;
  /** Does it run more than the files it names? */
  isOpen: boolean;
  /** Is it more than can be looked through? */
  isTooLong: boolean;
}

/** Longer commands are not looked through. */
const MAX_TEXT = 20_000;
const MAX_WORDS = 5_000;
const MAX_FOLDERS = 16;

/**
 * The commands at any depth of a document. Those of hooks are lines for the shell, or a program with its arguments; those of servers
 * and agents are a program, with `args`, `env` and `cwd`. `isHook`: is the whole document about hooks?
 */
export async function runCommands(
  document: unknown,
  isHook: boolean,
  folder: string,
  files: FileFinder,
): Promise<RunCommand[]> {
  return Promise.all(commandsIn(document, isHook).map((command) => read(command, folder, files)));
}

async function read(command: Command, folder: string, files: FileFinder): Promise<RunCommand> {
  const { line, isHook, cwd, env } = command;
  const text = typeof line === 'string' ? line : line.join(' ');
  const cannot = {
    text,
    isHook,
    paths: [],
    folders: [folder],
    manifests: [],
    scripts: new Map(),
    isOpen: false,
  };
  if (text.length > MAX_TEXT) return { ...cannot, isTooLong: true };
  const source = typeof line === 'string' ? withFolders(line, MARKS) : asLine(withoutArguments(line), env);
  const { commands, hidden } = (await loadShellParser())(source);
  const lexical = typeof line === 'string' ? [line, ...splitLine(source)] : line;
  const said = withoutMarks([lexical, ...Object.entries(env).map(variableWords), ...commands], folder);
  const run = [
    ...said.slice(said.length - commands.length),
    ...(typeof line === 'string' ? [] : said.slice(0, 1)),
  ];
  const place = cwd === null ? null : await startAt(resolve(folder, cwd), folder, files);
  const changed = await foldersOf(run, [folder, ...(place === null ? [] : [place])], folder, files);
  if (changed === null || said.flat().length > MAX_WORDS) return { ...cannot, isTooLong: true };
  const { folders } = changed;
  const manifests = run.flatMap(([program = '']) => manifestsOf(program, isHook) ?? []);
  // After a change of the folder, the top of the repository may be another one.
  const isMoved = folders.length > 1 && /--show-toplevel/.test(text);
  return {
    text,
    isHook,
    paths: await pathsOf(said, folders, files),
    folders,
    manifests: [...new Set(folders.flatMap((start) => manifests.map((name) => join(start, name))))].filter(
      (path) => isWithin(folder, path),
    ),
    scripts: await scriptsOf(run, folders, files),
    isOpen:
      hidden !== null ||
      changed.computed.length > 0 ||
      isMoved ||
      /\bCDPATH\b|\/proc\/|\/dev\/fd/.test(text) ||
      (cwd !== null && isReference(cwd)) ||
      run.some((words) => runsMore(words, isHook)),
    isTooLong: false,
  };
}

/** What a shell script runs. */
export interface ShellScript {
  paths: string[];
  /** Folders that it may run in. */
  folders: string[];
  /** Commands that run more than the files they name. */
  open: string[];
  /** Could all of it be parsed? */
  isWhole: boolean;
}

/** Null if it has too many words or changes of the folder. */
export async function readScript(
  text: string,
  from: readonly string[],
  folder: string,
  files: FileFinder,
): Promise<ShellScript | null> {
  const { commands, hidden } = (await loadShellParser())(withOwnVariables(withFolders(text, MARKS)));
  const run = withoutMarks(commands, folder);
  const changed = await foldersOf(run, from, folder, files);
  if (changed === null || run.flat().length > MAX_WORDS) return null;
  const { folders } = changed;
  const open = changed.computed.map(shownAs);
  for (const words of run) {
    const shown = shownAs(words);
    // A command behind another repeats the end of it.
    if (runsMore(words, true) && !open.some((other) => other.endsWith(shown))) open.push(shown);
  }
  const isWhole = !hidden?.startsWith('it cannot be parsed');
  return { paths: await pathsOf(run, folders, files), folders, open, isWhole };
}

function shownAs(words: readonly string[]): string {
  return words.join(' ').replaceAll(UNKNOWN, '…').slice(0, 200);
}

/** Replace folders while a line is parsed: the real paths may hold blanks. */
const MARKS = { folder: '/amplifier-project-folder', home: '/amplifier-home-folder' };

function withoutMarks(commands: readonly (readonly string[])[], folder: string): string[][] {
  return commands.map((words) =>
    words.map((word) => word.replaceAll(MARKS.folder, folder).replaceAll(MARKS.home, homedir())),
  );
}

/** The words of a line, whatever they mean in it. */
function splitLine(line: string): string[] {
  return withoutOutputs(line).split(/[\s;&|()<>"'`]+/);
}

/** The paths that words may mean, from each of the folders. */
async function pathsOf(
  commands: readonly (readonly string[])[],
  folders: readonly string[],
  files: FileFinder,
): Promise<string[]> {
  const paths = new Set<string>();
  for (const words of distinct(commands)) {
    const names = new Set(words.flatMap(namesOf));
    const { given, completions } = completed(words);
    for (const start of folders) {
      for (const name of names) paths.add(pathOf(start, name));
      for (const name of given)
        for (const path of await files.loadedAt(pathOf(start, name), completions)) paths.add(path);
      for (const name of pythonModule(words) ?? []) paths.add(join(start, name));
    }
  }
  return [...paths];
}

function distinct(commands: readonly (readonly string[])[]): readonly string[][] {
  return [...new Map(commands.map((words) => [words.join('\0'), [...words]])).values()];
}

/** The names that an interpreter completes: its script and what its options name. `NODE_OPTIONS` is set before the program. */
function completed(words: readonly string[]): { given: string[]; completions: readonly string[] } {
  const at = words.findIndex((word) => completionsOf(word) !== null);
  if (at === -1) return { given: [], completions: [] };
  const isScript = (word: string, index: number) =>
    index > at && !word.startsWith('-') && !words[index - 1]?.startsWith('-');
  const script = words.findIndex(isScript);
  const given = words.slice(0, script === -1 ? words.length : script + 1).flatMap(namesOf);
  return { given, completions: completionsOf(words[at] ?? '') ?? [] };
}

/** The scripts that are given to an interpreter, by path. */
async function scriptsOf(
  run: readonly (readonly string[])[],
  folders: readonly string[],
  files: FileFinder,
): Promise<Map<string, string>> {
  const scripts = new Map<string, string>();
  for (const { interpreter, script } of run.map(scriptOf))
    for (const start of script === null ? [] : folders)
      for (const path of await files.loadedAt(pathOf(start, script ?? ''), completionsOf(interpreter) ?? []))
        scripts.set(path, interpreter);
  return scripts;
}

/** The folders that commands may run in: those that they change to, one from another. Null if there are too many. `computed`: changes to a folder that is not known. */
async function foldersOf(
  run: readonly (readonly string[])[],
  from: readonly string[],
  folder: string,
  files: FileFinder,
): Promise<{ folders: string[]; computed: (readonly string[])[] } | null> {
  const names = new Set<string>();
  const computed: (readonly string[])[] = [];
  for (const words of run) {
    const isChange = /^(cd|pushd|chdir)$/.test(words[0] ?? '');
    const targets = words.slice(1).filter((word) => !/^-[LPe@n]*$|^--$/.test(word));
    const isComputed = targets.length === 0 || targets.some((word) => /\uE000|^~[^/]*$|^[+-]\d/.test(word));
    if (isChange && isComputed) computed.push(words);
    for (const name of isChange ? targets : optionValues(words)) names.add(name);
  }
  const folders = new Set(from);
  for (const start of folders)
    for (const name of names) {
      const place = await startAt(pathOf(start, name), folder, files);
      if (place !== null) folders.add(place);
      if (folders.size > MAX_FOLDERS) return null;
    }
  return { folders: [...folders], computed };
}

/** A folder of the project, or one above it from which a path may lead back. */
async function startAt(path: string, folder: string, files: FileFinder): Promise<string | null> {
  return (await files.folderAt(path)) ?? (isWithin(path, folder) ? path : null);
}

/** Does the command run more than the files it names? */
function runsMore(words: readonly string[], isHook: boolean): boolean {
  return (
    pythonModule(words) !== null ||
    manifestsOf(words[0] ?? '', isHook) !== null ||
    isComputed(words) ||
    isInline(words)
  );
}

interface Command {
  /** A line for the shell, or a program with its arguments. */
  line: string | readonly string[];
  isHook: boolean;
  cwd: string | null;
  env: Readonly<Record<string, string>>;
}

/** A text of settings may refer to a variable as `${NAME}`: its value is not known here. */
const isReference = (text: string) => /(?<!\$)\$\{/.test(text);

/** The same command as a line for the shell. */
function asLine(words: readonly string[], env: Command['env']): string {
  const known = (text: string) => text.replace(/(?<!\$)\$\{[^}]*\}/g, UNKNOWN);
  const quoted = (text: string) => `'${known(text).replaceAll("'", `'\\''`)}'`;
  const variables = Object.entries(env).filter(([name]) => /^[A-Za-z_]\w*$/.test(name));
  return [...variables.map(([name, value]) => `${name}=${quoted(value)}`), ...words.map(quoted)].join(' ');
}

/** What follows the script of a shell is for the script. */
function withoutArguments(words: readonly string[]): readonly string[] {
  const [program = '', script = '-'] = words;
  return /^(ba|da|z|k|a)?sh$/.test(basename(program)) && /^[^-+]/.test(script) ? [program, script] : words;
}

/** `NODE_OPTIONS` and its like name files, too. */
function variableWords([name, value]: [string, string]): string[] {
  return [...(name === 'NODE_OPTIONS' ? ['node'] : []), value, ...value.split(/\s+/)];
}

/** A word as it is, and the parts of it that may be names: `--rc=NAME`, `-fNAME`, `@NAME`, `NAME:/data`. */
function namesOf(word: string): string[] {
  const parts = word.split(/[=:,@]/);
  const short = /^-\w(.+)$/s.exec(word)?.[1];
  const names = [word, ...(parts.length > 1 ? parts : []), ...(short === undefined ? [] : [short])];
  return names.filter((name) => name !== '' && !name.includes('\0'));
}

/** Values of options: any of them may be the folder that a program changes to (`env -C`, `git -C`, `--cwd`). */
function optionValues(words: readonly string[]): string[] {
  return words.flatMap((word, at) => {
    if (!word.startsWith('-')) return words[at - 1]?.startsWith('-') && at > 0 ? [word] : [];
    const value = /^--?[\w-]+=(.+)$/s.exec(word)?.[1] ?? /^-[A-Za-z](.+)$/s.exec(word)?.[1];
    return value === undefined ? [] : [value];
  });
}

/** The files that `python -m NAME` may run, or null. */
function pythonModule(words: readonly string[]): string[] | null {
  const python = words.findIndex((word) => /^python[\d.]*$/.test(basename(word)));
  const at = python === -1 ? -1 : words.findIndex((word, index) => index > python && /^-\w*m/.test(word));
  if (at === -1) return null;
  const name = /^-\w*m(.+)$/.exec(words[at] ?? '')?.[1] ?? words[at + 1] ?? '';
  const path = name.replaceAll('.', '/');
  const packages: string[] = [];
  for (let each = path; each !== '.' && each !== '/'; each = dirname(each))
    packages.push(`${each}/__init__.py`);
  return [`${path}.py`, `${path}/__main__.py`, ...packages];
}

/** The script that an interpreter is given whose modules count. Null where options load modules, or code is an argument. */
function scriptOf(words: readonly string[]): { interpreter: string; script: string | null } {
  const [program = '', ...args] = words;
  const interpreter = /^(node|python|ruby|perl|php|lua)(?:js)?[\d.]*$/.exec(basename(program))?.[1] ?? '';
  const script = args.find((word) => !word.startsWith('-')) ?? null;
  return { interpreter, script: interpreter === '' || isInline(words) ? null : script };
}

/** With options that load modules or run a list of files, or with a program in the arguments: what it loads is not looked for. */
function isInline([program = '', ...args]: readonly string[]): boolean {
  const name = basename(program);
  const at = args.findIndex((word) => !word.startsWith('-'));
  const options = at === -1 ? args : args.slice(0, at);
  if (/^node(js)?$/.test(name)) return options.some((word) => NODE_LOADS.test(word));
  if (name === 'java')
    return args.some((word) => /^(-cp|-classpath|--class-path|-p|--module-path)\b/.test(word));
  return (
    /^(python[\d.]*|ruby|perl|php|lua)$/.test(name) && args.some((word) => /^-[a-zA-Z]*[ceEr]$/.test(word))
  );
}

const NODE_LOADS = /^(-[rep]|-pe|--(require|import|loader|experimental-loader|eval|print|run|test)\b)/;

/** Is the program, or the script of an interpreter, known only when the command runs? */
function isComputed([program = '', ...args]: readonly string[]): boolean {
  if (program.includes(UNKNOWN)) return true;
  return INTERPRETER.test(basename(program)) && args.some((word) => word.includes(UNKNOWN));
}

const INTERPRETER = /^(?:(?:ba|da|z|k|a)?sh|source|\.|node|deno|bun|tsx|python[\d.]*|ruby|perl|php|lua)$/;

const texts = (value: unknown) =>
  (Array.isArray(value) ? value : []).filter((item) => typeof item === 'string');

function commandsIn(value: unknown, isHook: boolean): Command[] {
  if (Array.isArray(value)) return value.flatMap((item) => commandsIn(item, isHook));
  if (!isPlainObject(value)) return [];
  const { command, args, cwd, setup, extra_args } = value;
  const env = Object.entries(isPlainObject(value.env) ? value.env : {});
  const place = {
    cwd: typeof cwd === 'string' ? cwd : null,
    env: Object.fromEntries(env.filter((entry): entry is [string, string] => typeof entry[1] === 'string')),
  };
  const found: Command[] = [];
  const isLine = isHook && typeof command === 'string' && args === undefined;
  if (typeof command === 'string' && isHook) found.push({ line: command, isHook, ...place });
  // A server may have the name of a section of hooks.
  if (typeof command === 'string' && !isLine)
    found.push({ line: [command, ...texts(args)], isHook, ...place });
  const list = [...texts(command), ...texts(args), ...texts(extra_args)];
  if (Array.isArray(command) || Array.isArray(extra_args)) found.push({ line: list, isHook, ...place });
  if (typeof setup === 'string') found.push({ line: setup, isHook: true, ...place });
  for (const [key, member] of Object.entries(value))
    found.push(...commandsIn(member, isHook || key === 'hooks' || key === 'hooks-shell'));
  return found;
}
