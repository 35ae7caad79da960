import { basename, join, resolve } from 'node:path';
import { isPlainObject } from '@amplifier/core';
import { loadShellParser, UNKNOWN } from '@amplifier/modules';
import { FOLDER_VARIABLE } from './local-files.js';

/** What the commands of hooks run. */
export interface HookCommands {
  /** Paths that the commands may name, whether or not there is a file. */
  paths: string[];
  /** Files that say what a program such as `npm` or `make` runs. They count by content alone, and sessions may change them. */
  manifests: string[];
  /** Paths that the commands name as scripts of node. */
  byNode: string[];
  /** Commands that run more than the files they name. */
  unpinned: string[];
}

/** Replaces the folder while a line is parsed: the real path may hold blanks. */
const FOLDER = '/amplifier-project-folder';

/** The commands of hooks at any depth of a document: lines for the shell, or a program with its arguments. */
export async function hookCommands(hooks: unknown, folder: string): Promise<HookCommands> {
  const lines = commandsIn(hooks);
  const paths = new Set<string>();
  const manifests = new Set<string>();
  const byNode = new Set<string>();
  const unpinned: string[] = [];
  const parse = lines.length > 0 ? await loadShellParser() : null;
  for (const line of lines) {
    const shell = typeof line === 'string';
    const found = shell ? parse?.(line.replace(FOLDER_VARIABLE, () => `${FOLDER}/`)) : null;
    const commands = shell ? (found?.commands ?? []) : [line];
    let isOpen = shell && (found?.hidden ?? null) !== null;
    for (const words of commands) {
      const real = words.map((word) => word.replaceAll(FOLDER, folder));
      for (const word of real)
        for (const part of [word, ...word.split('=').slice(1)]) paths.add(resolve(folder, part));
      const module = pythonModule(real);
      const named = manifestsOf(real);
      for (const name of module ?? []) paths.add(join(folder, name));
      for (const name of named ?? []) manifests.add(join(folder, name));
      const script = nodeScript(real);
      if (script.path !== null) byNode.add(resolve(folder, script.path));
      isOpen ||= module !== null || named !== null || script.isOpen || isComputed(real) || isInline(real);
    }
    if (isOpen) unpinned.push(shell ? line : line.join(' '));
  }
  return { paths: [...paths], manifests: [...manifests], byNode: [...byNode], unpinned };
}

const NODE = ['package.json'];
const PYTHON = ['pyproject.toml'];

/** Programs that run what another file, an installed package or the network says, with the file that names it in a project. */
const RUNS_MORE: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(['npm', 'npx', 'pnpm', 'pnpx', 'yarn', 'bun', 'bunx'].map((name) => [name, NODE])),
  deno: ['deno.json', 'deno.jsonc'],
  ...Object.fromEntries(
    ['uv', 'uvx', 'poetry', 'pdm', 'hatch', 'pipx', 'tox', 'nox'].map((name) => [name, PYTHON]),
  ),
  make: ['GNUmakefile', 'makefile', 'Makefile'],
  gmake: ['GNUmakefile', 'makefile', 'Makefile'],
  just: ['justfile', 'Justfile', '.justfile'],
  task: ['Taskfile.yml', 'Taskfile.yaml'],
  rake: ['Rakefile'],
  bundle: ['Gemfile'],
  composer: ['composer.json'],
  cargo: ['Cargo.toml'],
  go: ['go.mod'],
  mvn: ['pom.xml'],
  gradle: ['build.gradle', 'build.gradle.kts'],
  gradlew: ['build.gradle', 'build.gradle.kts'],
  mise: ['mise.toml', '.mise.toml'],
  'pre-commit': ['.pre-commit-config.yaml'],
  lefthook: ['lefthook.yml'],
  docker: ['compose.yaml', 'docker-compose.yml'],
};

/** Null for a command that runs only the files it names. */
function manifestsOf([program = '']: readonly string[]): readonly string[] | null {
  const name = basename(program);
  return Object.hasOwn(RUNS_MORE, name) ? (RUNS_MORE[name] ?? null) : null;
}

/** The files that `python -m NAME` may run, or null. */
function pythonModule([program = '', ...args]: readonly string[]): string[] | null {
  const at = /^python[\d.]*$/.test(basename(program)) ? args.indexOf('-m') : -1;
  if (at === -1) return null;
  const path = (args[at + 1] ?? '').replaceAll('.', '/');
  return [`${path}.py`, `${path}/__init__.py`, `${path}/__main__.py`];
}

/** The script that a command of node runs. Open: with options that load modules, or a program in its arguments. */
function nodeScript([program = '', ...args]: readonly string[]): { path: string | null; isOpen: boolean } {
  if (!/^node(js)?$/.test(basename(program))) return { path: null, isOpen: false };
  const at = args.findIndex((word) => !word.startsWith('-'));
  const options = at === -1 ? args : args.slice(0, at);
  const isOpen = options.some((word) =>
    /^(-[rep]|-pe|--(require|import|loader|experimental-loader|eval|print)\b)/.test(word),
  );
  return { path: isOpen ? null : (args[at] ?? null), isOpen };
}

/** A program of another interpreter that is an argument: what it loads is not looked for. */
function isInline([program = '', ...args]: readonly string[]): boolean {
  return (
    /^(python[\d.]*|ruby|perl|php|lua)$/.test(basename(program)) &&
    args.some((word) => /^-[a-zA-Z]*[ceEr]$/.test(word))
  );
}

/** Is the program, or the script of an interpreter, known only when the command runs? */
function isComputed([program = '', ...args]: readonly string[]): boolean {
  if (program.includes(UNKNOWN)) return true;
  return INTERPRETER.test(basename(program)) && args.some((word) => word.includes(UNKNOWN));
}

const INTERPRETER = /^(?:(?:ba|da|z|k|a)?sh|source|\.|node|deno|bun|tsx|python[\d.]*|ruby|perl|php|lua)$/;

function commandsIn(value: unknown): (string | string[])[] {
  if (Array.isArray(value)) return value.flatMap(commandsIn);
  if (!isPlainObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    if (key !== 'command') return commandsIn(member);
    if (typeof member === 'string') return [member];
    return Array.isArray(member) ? [member.filter((word) => typeof word === 'string')] : [];
  });
}
