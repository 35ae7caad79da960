import { basename, dirname, join, resolve } from 'node:path';
import { isPlainObject } from '@amplifier/core';
import { loadShellParser, UNKNOWN } from '@amplifier/modules';
import { isWithin } from '@amplifier/workspace';
import { withFolder, withoutOutputs } from './file-names.js';
import type { LocalFiles } from './local-files.js';
import { manifestsOf } from './runs-more.js';

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

/** Replaces the folder while a line is parsed: the real path may hold blanks. */
const FOLDER = '/amplifier-project-folder';

/**
 * The commands at any depth of a document. Those of hooks are lines for the shell, or a program with its arguments; those of servers
 * and agents are a program, with `args`, `env` and `cwd`. `isHook`: is the whole document about hooks?
 */
export async function runCommands(
  document: unknown,
  isHook: boolean,
  folder: string,
  files: LocalFiles,
): Promise<RunCommand[]> {
  const commands = commandsIn(document, isHook);
  if (commands.length === 0) return [];
  const parse = await loadShellParser();
  return Promise.all(commands.map((command) => read(command)));

  async function read(command: Command): Promise<RunCommand> {
    const { line, isHook, cwd, env } = command;
    const text = typeof line === 'string' ? line : line.join(' ');
    const found: RunCommand = {
      text,
      isHook,
      paths: [],
      folders: [folder],
      manifests: [],
      scripts: new Map(),
      isOpen: false,
      isTooLong: true,
    };
    if (text.length > MAX_TEXT) return found;
    const source = typeof line === 'string' ? withFolder(line, FOLDER) : asLine(withoutArguments(line), env);
    const parsed = parse(source);
    const lexical =
      typeof line === 'string' ? [line, ...withoutOutputs(source).split(/[\s;&|()<>"'`]+/)] : line;
    const said = [lexical, ...parsed.commands, ...Object.entries(env).map(variableWords)].map((words) =>
      words.map((word) => word.replaceAll(FOLDER, folder)),
    );
    const run = said.slice(typeof line === 'string' ? 1 : 0, 1 + parsed.commands.length);
    if (said.flat().length > MAX_WORDS) return found;
    found.isOpen = parsed.hidden !== null || /\bCDPATH\b/.test(text);
    if (cwd !== null) {
      const place = await files.folderAt(resolve(folder, cwd));
      if (place !== null) found.folders.push(place);
      found.isOpen ||= isReference(cwd);
    }
    const isKnown = await addFolders(found, run);
    if (!isKnown) return found;
    const paths = new Set<string>();
    const manifests = new Set<string>();
    for (const start of found.folders) {
      for (const words of said) {
        for (const name of words.flatMap(namesOf)) paths.add(resolve(start, name));
        // `NODE_OPTIONS` is set before the program.
        const isLoading = words.some((word) => LOADS.test(basename(word)));
        for (const name of isLoading ? words.flatMap(namesOf) : [])
          for (const path of await files.loadedAt(resolve(start, name))) paths.add(path);
        for (const name of pythonModule(words) ?? []) paths.add(join(start, name));
      }
      for (const words of run) {
        for (const name of manifestsOf(words[0] ?? '', isHook) ?? []) manifests.add(join(start, name));
        const { interpreter, script } = scriptOf(words);
        if (script === null) continue;
        for (const path of await files.loadedAt(resolve(start, script))) found.scripts.set(path, interpreter);
      }
    }
    for (const words of run)
      found.isOpen ||=
        pythonModule(words) !== null ||
        manifestsOf(words[0] ?? '', isHook) !== null ||
        isComputed(words) ||
        isInline(words);
    return {
      ...found,
      paths: [...paths],
      manifests: [...manifests].filter((path) => isWithin(folder, path)),
      isTooLong: false,
    };
  }

  /** Adds the folders that the commands change to, one from another. False if there are too many. */
  async function addFolders(found: RunCommand, run: readonly (readonly string[])[]): Promise<boolean> {
    const names = new Set<string>();
    for (const words of run) {
      const isChange = /^(cd|pushd|chdir)$/.test(words[0] ?? '');
      const targets = words.slice(1).filter((word) => !/^-[LPe@n]*$|^--$/.test(word));
      if (isChange && (targets.length === 0 || /^~|^[+-]\d/.test(targets[0] ?? ''))) found.isOpen = true;
      if (isChange && targets.some((word) => word.includes(UNKNOWN))) found.isOpen = true;
      for (const name of isChange ? targets : optionValues(words)) names.add(name);
    }
    const folders = new Set(found.folders);
    // Where a repository of its own may begin, the top of it is not the project.
    if (names.size > 0 && /--show-toplevel/.test(found.text)) found.isOpen = true;
    for (const start of folders)
      for (const name of names) {
        // A folder outside may lead back.
        const path = resolve(start, name);
        const place = (await files.folderAt(path)) ?? (isWithin(path, folder) ? path : null);
        if (place !== null) folders.add(place);
        if (folders.size > MAX_FOLDERS) return false;
      }
    found.folders = [...folders];
    return true;
  }
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

/** As the shell would be told to run it. */
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

/** Interpreters that complete the name of a script. */
const LOADS = /^(?:node|nodejs|bun|bunx|deno|tsx|ts-node|python[\d.]*)$/;

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
  const { command, args, cwd, setup } = value;
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
  if (Array.isArray(command)) found.push({ line: [...texts(command), ...texts(args)], isHook, ...place });
  if (typeof setup === 'string') found.push({ line: setup, isHook: true, ...place });
  for (const [key, member] of Object.entries(value))
    found.push(...commandsIn(member, isHook || key === 'hooks' || key === 'hooks-shell'));
  return found;
}
