import { basename, resolve } from 'node:path';
import { isPlainObject } from '@amplifier/core';
import { expandHome } from '@amplifier/workspace';

/** How commands and scripts name the folder of the project. */
const FOLDER_VARIABLE = String.raw`\$(?:\{(?:CLAUDE_PROJECT_DIR|AMPLIFIER_PROJECT_DIR)(?::?-[^}\n]{0,200})?\}|(?:CLAUDE_PROJECT_DIR|AMPLIFIER_PROJECT_DIR)\b|\(\s*git rev-parse --show-toplevel\s*\))`;
const CURRENT_FOLDER = String.raw`\$(?:\{PWD(?::?-[^}\n]{0,200})?\}|PWD\b|\(\s*pwd\s*\))`;
/** How a script names its own folder. */
const OWN_FOLDER = String.raw`\$\(\s*dirname (?:-- )?"?\$(?:0|\{?BASH_SOURCE(?:\[0\])?\}?)"?\s*\)|\$\{(?:0|BASH_SOURCE(?:\[0\])?)%\/\*\}`;
/** A folder that is known only when the script runs: the rest of the path may still be a name in a known one. */
const SOME_FOLDER = String.raw`\$(?:\{\w{1,100}[^}\n]{0,200}\}|\w{1,100})`;

/** With the quotes around it and the slash that follows: what is left is a relative path. */
const PREFIXES = new RegExp(
  `"?(?:${[FOLDER_VARIABLE, CURRENT_FOLDER, OWN_FOLDER, SOME_FOLDER].join('|')})"?/`,
  'g',
);
const KNOWN_FOLDER = new RegExp([FOLDER_VARIABLE, CURRENT_FOLDER, OWN_FOLDER].join('|'), 'g');

/** A line for the shell in which the folder and the user's home have these paths wherever a variable names them. */
export function withFolders(line: string, { folder, home }: { folder: string; home: string }): string {
  return line
    .replace(new RegExp(FOLDER_VARIABLE, 'g'), () => folder)
    .replace(KNOWN_FOLDER, '.')
    .replace(/\$(?:HOME\b|\{HOME\})/g, () => home);
}

/** `NAME="$(cd "." && pwd)"` and its like, after variables for folders were replaced. */
const OWN_VARIABLE =
  /^[ \t]*(?:(?:export|readonly|local)[ \t]+)?(\w+)=["']?(?:(\.|\/[\w-]+)|\$\(\s*cd (?:(?:--|-P) )*"?(\.|\/[\w-]+)"?(?: *>[/\w]+(?: 2>&1)?)? *&& *pwd(?: -P)? *\))["']?[ \t]*$/gm;

/** A script in which variables are replaced that hold a known folder, and are named nowhere else but to use them. */
export function withOwnVariables(script: string): string {
  let text = script;
  for (const [, name = '', plain, entered] of script.matchAll(OWN_VARIABLE)) {
    const named = script.match(new RegExp(String.raw`(?<![\w$]|\$\{)${name}\b`, 'g'));
    if (named?.length !== 1) continue;
    const use = new RegExp(String.raw`\$(?:${name}\b|\{${name}\})`, 'g');
    text = text.replace(use, () => plain ?? entered ?? '.');
  }
  return text;
}

/** Paths that begin at the current folder in another way than by a variable. */
const CURRENT = /^(?:~[+-]|\/proc\/(?:self|thread-self|\d+)\/cwd)\//;

/** The path that a word of a command or a script names. */
export function pathOf(start: string, name: string): string {
  return resolve(start, expandHome(name.replace(CURRENT, './')));
}

/** What a text may name. */
export interface FileNames {
  names: Set<string>;
  /** Names that an interpreter may complete, such as `lib` for `lib/index.js`. */
  loaded: Set<string>;
  /** Folders that the text changes to. */
  folders: Set<string>;
  /** Changes of the folder whose target is known only at run time. */
  computed: string[];
}

const WORD = /[^\p{L}\p{N}\p{M}_@%+~.,/-]+/u;
const isPath = (word: string) => /[./]./.test(word);

/** Names of files in any text of settings. */
export function namesInValue(value: unknown, key = '', names = new Set<string>()): Set<string> {
  if (typeof value === 'string') {
    if (isPath(value) || key === 'command' || key === 'source') names.add(value);
    for (const word of wordsOf(key === 'command' ? withoutOutputs(value) : value)) names.add(word);
  } else if (Array.isArray(value)) for (const item of value) namesInValue(item, '', names);
  else if (isPlainObject(value))
    for (const [name, member] of Object.entries(value)) {
      for (const word of wordsOf(name)) names.add(word);
      namesInValue(member, name, names);
    }
  return names;
}

/** The words of a text that look like paths. */
export function wordsOf(text: string): string[] {
  return splitWords(text.replace(PREFIXES, './')).filter(isPath);
}

/** Names in the text of a script: every word counts, because a script may name a file without a path. */
export function namesInScript(script: string): FileNames {
  const text = script.replace(PREFIXES, './');
  const quoted = text.split(/["'`\n]/).filter((part) => part.length < 300);
  const names = new Set([...splitWords(text), ...splitWords(text.replace(/\\(.)/g, '$1')), ...quoted]);
  const loaded = new Set([...names].filter((name) => /^\.{1,2}\//.test(name)));
  for (const [, rest = ''] of text.matchAll(INTERPRETED))
    for (const word of splitWords(rest)) loaded.add(word).add(word.replaceAll('.', '/'));
  const folders = new Set<string>();
  const computed: string[] = [];
  const known = script.replace(KNOWN_FOLDER, '.');
  for (const [pattern, isReported] of FOLDER_CHANGES)
    for (const [whole, target = ''] of known.matchAll(pattern)) {
      const name = target.replace(/["']/g, '').replace(/\\(.)/g, '$1');
      if (!/[$`*?~]/.test(name)) folders.add(name);
      else if (isReported) computed.push(whole.trim());
    }
  return { names, loaded, folders, computed };
}

const INTERPRETED = /\b(?:node(?:js)?|bun|deno|tsx|ts-node|python[\d.]*)\b([^\n;&|]*)/g;

const TARGET = String.raw`((?:"[^"\n]*"|'[^'\n]*'|\\.|[^\s;&|()"'\x60])+)`;
/** With each: whether a target that is not literal is reported. Most programs with such options run nothing there. */
const FOLDER_CHANGES: readonly [RegExp, boolean][] = [
  [new RegExp(String.raw`(?:^|[\s;&|({"'\x60])(?:cd|pushd)(?:[ \t]+-[-\w@]+)*[ \t]+${TARGET}`, 'gm'), true],
  [new RegExp(String.raw`\s(?:-C|--chdir|--cwd|--directory|--prefix)(?:[ \t]+|=)${TARGET}`, 'g'), false],
  [/\b(?:chdir|cwd)\b['"]?\s*[:=(]\s*(["'][^"'\n]*["'])/g, true],
];

function splitWords(text: string): string[] {
  return text.split(WORD).flatMap((word) => {
    const plain = word.replace(/[.,]+$/, '');
    return [word, plain, ...(word.includes(',') ? word.split(',') : [])].filter((name) => name !== '');
  });
}

/** What a command writes to by `>` is no part of what it does: it would have changed after the first run. */
export function withoutOutputs(command: string): string {
  return command.replace(/>>?\s*"?[\w$./{}-]+"?/g, ' ');
}

/** Interpreters that complete the name of a script. */
const COMPLETES = /^(?:(node|nodejs)|(bun|bunx|deno|tsx|ts-node)|(python[\d.]*))$/;

const BY_NODE = [
  '.js',
  '.mjs',
  '.cjs',
  '.json',
  '.node',
  '/index.js',
  '/index.json',
  '/index.node',
  '/index.mjs',
];
const BY_TYPESCRIPT = [...BY_NODE, '.ts', '.mts', '.cts', '.tsx', '/index.ts', '/index.tsx'];
const BY_PYTHON = ['/__main__.py'];

/** What may follow a name in the files that a text of unknown language loads. */
export const COMPLETIONS: readonly string[] = [...BY_TYPESCRIPT, ...BY_PYTHON, '.py'];

/** What may follow a name that a program is given. Null for a program that completes no names. */
export function completionsOf(program: string): readonly string[] | null {
  const [found, node, typescript] = COMPLETES.exec(basename(program)) ?? [];
  if (found === undefined) return null;
  if (node !== undefined) return BY_NODE;
  return typescript === undefined ? BY_PYTHON : BY_TYPESCRIPT;
}
