import {
  type Assignment,
  type Command,
  forEachChild,
  type ParsedScript,
  type Pipeline,
  parse,
  type Redirection,
  type SyntaxNode,
  type Word,
  type WordPart,
} from 'unbash';
import { type Dialect, programName, runByArguments } from './command-runners.js';
import { LineEffects } from './line-effects.js';
import { isRunVariable } from './run-variables.js';
import { SEVERAL, UNKNOWN } from './unknown-text.js';

/** The commands of a line for `bash`, found without running it. */
export interface ShellCommands {
  /**
   * Every command that the line runs or may run, as its words: in substitutions, functions and conditions, and behind programs that
   * run others. `UNKNOWN` replaces text that is known only when the line runs.
   */
  commands: readonly (readonly string[])[];
  /** Why the line may run a command that is not in `commands`; null when it cannot. */
  hidden: string | null;
  /**
   * The source of each command of a line of simple commands that substitutes, assigns and redirects nothing, joined by `;`, `&`, `|`,
   * `&&`, `||` or newlines; null for any other line.
   */
  plain: readonly string[] | null;
}

/** Longer lines are not parsed, because nothing else runs meanwhile. */
const MAX_LINE = 20_000;
/** The parser reads nested substitutions again at each level. */
const MAX_BRACKETS = 24;
/** Lines inside of lines, such as `sh -c 'sh -c …'`, and commands behind commands. */
const MAX_LEVELS = 12;
/** Commands behind commands repeat the words of the line. */
const MAX_FOUND = 256 * 1024;
/** Parts of the syntax, in all lines together: far more than a person or a model writes. */
const MAX_NODES = 20_000;

/** Never throws for what the line is: what cannot be understood is `hidden`. */
export function parseShellCommands(line: string): ShellCommands {
  const search = new Search();
  search.line(line, 0, 'bash');
  const { commands, plain, effects } = search;
  return { commands, hidden: search.hidden ?? effects.hidden(), plain };
}

const TOO_LONG = 'it is too long';

/** Where a shell that is not bash may find another command than bash does. */
const BASH_ONLY = /\[\[|(?<!\$)\(\(|\$'|&>/;

class Search {
  readonly commands: string[][] = [];
  hidden: string | null = null;
  plain: string[] | null = null;
  readonly effects = new LineEffects();
  #room = MAX_FOUND;
  #nodes = MAX_NODES;

  line(text: string, level: number, dialect: Dialect): void {
    this.#room -= text.length;
    const tooMuch = this.#tooMuch(level) ?? (text.length > MAX_LINE ? TOO_LONG : null);
    if (tooMuch !== null) {
      this.#hide(tooMuch);
      return;
    }
    // Some shells take these for blanks in some locales.
    const isUnusual = /[^\P{White_Space} \t\n]|[^\P{Cc}\t\n]/u.test(text);
    if (isUnusual) this.#hide('it has unusual blanks or control characters');
    if (dialect === 'other' || (dialect === 'posix' && BASH_ONLY.test(text)))
      this.#hide('a shell reads it that is not bash');
    if (text.includes(UNKNOWN) && level > 0) this.#hide('a part of it is put together when it runs');
    const script = bracketDepth(text) > MAX_BRACKETS ? null : parsed(text);
    if (script === null) this.#hide('it cannot be parsed, or is nested too deeply');
    else {
      if (level === 0 && !isUnusual) this.plain = plainCommands(script);
      this.#visit(script, level, dialect);
    }
  }

  #tooMuch(level: number): string | null {
    if (level > MAX_LEVELS) return 'it is nested too deeply';
    return this.#room < 0 || this.#nodes < 0 ? TOO_LONG : null;
  }

  #visit(node: SyntaxNode, level: number, dialect: Dialect): void {
    if (--this.#nodes < 0) {
      this.#hide(TOO_LONG);
      return;
    }
    if (node.type === 'Script' && node.errors?.length)
      this.#hide(`it cannot be parsed: ${node.errors[0]?.message}`);
    this.effects.note(node);
    if (node.type === 'Redirect' && node.target && !/^<&?$/.test(node.operator))
      this.effects.writes(textOf(node.target));
    if (node.type === 'Command') this.#command(node, level, dialect);
    const set = variableSet(node);
    if (set !== null && isRunVariable(set)) this.#hide(`${set} names a command, or where commands are found`);
    if (node.type === 'Pipeline' && isTimeProgram(node)) this.#hide('time may be a program');
    if (node.type === 'ExtendedGlob') {
      // Without the option `extglob`, `!(x)` runs x.
      this.#hide('it has an extended pattern');
      this.line(node.pattern, level + 1, dialect);
    }
    if (node.type === 'ParameterExpansion' && ['Transform', 'Unknown'].includes(node.operation?.type ?? ''))
      this.#hide('it expands a value as code');
    if ('script' in node && node.script === undefined)
      this.#hide('it has a substitution that cannot be parsed');
    if (node.type === 'Word' && isSubscript(node.value)) this.#hide('a subscript holds a substitution');
    forEachChild(node, (child) => this.#visit(child, level, dialect));
  }

  #command({ name, args, redirects }: Command, level: number, dialect: Dialect): void {
    if (name === undefined) return;
    const words = [name, ...args].map((word) => (word.type === 'Word' ? textOf(word) : assignmentText(word)));
    this.#found(words, inputOf(redirects), level, dialect);
  }

  #found(words: string[], input: string | null, level: number, dialect: Dialect): void {
    for (const word of words) this.#room -= word.length + 1;
    const tooMuch = this.#tooMuch(level);
    if (tooMuch !== null) {
      this.#hide(tooMuch);
      return;
    }
    this.commands.push(words);
    if (words[0]?.includes(UNKNOWN)) this.#hide('the name of a program is known only when it runs');
    const run = runByArguments(words, input);
    this.effects.runs(words, run?.files ?? []);
    if (run === null) return;
    if (run.hidden !== null) this.#hide(run.hidden);
    if (run.unexpected && run.hidden !== null) this.plain = null;
    for (const command of run.commands) {
      if (this.#room < 0) return;
      if (run.unexpected) this.plain = null;
      this.#found(command, input, level + 1, dialect);
    }
    for (const line of run.lines) this.line(line, level + 1, run.dialect ?? dialect);
  }

  #hide(why: string): void {
    this.hidden ??= why;
  }
}

function parsed(text: string): ParsedScript | null {
  try {
    return parse(text);
  } catch {
    return null;
  }
}

function bracketDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const character of text) {
    if (character === '(' || character === '{') deepest = Math.max(deepest, ++depth);
    else if (character === ')' || character === '}') depth--;
  }
  return deepest;
}

/** The variable that this part of a line sets. */
function variableSet(node: SyntaxNode): string | null {
  if (node.type === 'Assignment') return /^[^[]*/.exec(node.name)?.[0] ?? node.name;
  if (node.type === 'For' || node.type === 'Select') return node.name.value;
  if (node.type !== 'ParameterExpansion' || node.operation?.type !== 'Default') return null;
  return node.operation.operator.endsWith('=') ? node.parameter : null;
}

/** `time -o file x`: an option that is not bash's own belongs to the program of that name. */
function isTimeProgram({ prefixes, commands: [first] }: Pipeline): boolean {
  const name = first?.type === 'Command' ? first.name?.value : undefined;
  return prefixes.some(({ type }) => type === 'Time') && /^-/.test(name ?? '');
}

/** `a[$(x)]` in quotes runs x where a builtin or arithmetic takes it for a variable. */
function isSubscript(value: string): boolean {
  const open = value.indexOf('[');
  return open !== -1 && /\$\(|`|\$\{/.test(value.slice(open));
}

/** A word as the command gets it. */
function textOf(word: Word): string {
  return word.parts === undefined ? word.value : textOfParts(word.parts, SEVERAL);
}

function textOfParts(parts: readonly WordPart[], unknown: string): string {
  // A pattern after other text gives words that begin with that text.
  const text = parts
    .map((part, at) => (part.type === 'Glob' && at > 0 ? UNKNOWN : partText(part, unknown)))
    .join('');
  return text.includes(SEVERAL) ? text.replace(RUN_OF_UNKNOWN, SEVERAL) : text;
}

const RUN_OF_UNKNOWN = /\uE000{2,}/g;

function partText(part: WordPart, unknown: string): string {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return part.value;
    case 'DoubleQuoted':
    case 'LocaleString':
      return textOfParts(part.parts, UNKNOWN);
    case 'SimpleExpansion':
      // A number is one word.
      return /^\$[?#$!]$/.test(part.text) ? UNKNOWN : unknown;
    default:
      return unknown;
  }
}

function assignmentText({ name, value }: Assignment): string {
  return `${name}=${value.type === 'Word' ? textOf(value) : SEVERAL}`;
}

/** What a here document or a here string gives the command to read; null without one, or if another input may replace it. */
function inputOf(redirects: readonly Redirection[]): string | null {
  const inputs = redirects.filter(
    (redirect) => redirect.type !== 'Redirect' || /^<|^>&/.test(redirect.operator),
  );
  if (inputs.length > 1 || inputs[0]?.descriptor !== undefined) return null;
  const [last] = inputs;
  if (last?.type === 'HereString') return last.target ? textOf(last.target) : null;
  if (last?.type !== 'HereDoc') return null;
  const { parts, text } = last.body;
  return parts ? textOfParts(parts, SEVERAL) : text;
}

function plainCommands({ commands, errors }: ParsedScript): string[] | null {
  if (errors?.length) return null;
  const simple = commands.flatMap(({ command }) => {
    const piped = command.type === 'AndOr' ? command.commands : [command];
    return piped.flatMap((each) => (each.type === 'Pipeline' ? each.commands : [each]));
  });
  const texts = simple.map((command) => (command.type === 'Command' ? plainText(command) : null));
  return texts.every((text) => text !== null) ? texts : null;
}

/** Builtins that evaluate the names they are given, in which a subscript may run a command. */
const EVALUATE_NAMES = new Set(
  'test [ printf let declare typeset local readonly export unset read mapfile readarray getopts wait'.split(
    ' ',
  ),
);

function plainText({ name, args, prefix, redirects }: Command): string | null {
  if (name === undefined || name.text !== name.value || name.parts !== undefined) return null;
  if (prefix.some(({ type }) => type === 'Assignment') || !redirects.every(isHarmless)) return null;
  const evaluates = EVALUATE_NAMES.has(programName(name.value));
  const isPlain = (word: Word | Assignment): word is Word =>
    word.type === 'Word' &&
    !word.text.includes('\\\n') &&
    !isSubscript(word.value) &&
    (word.parts ?? []).every(evaluates ? isFixed : isInert) &&
    !(evaluates && /^-\w*v/.test(word.value));
  return args.every(isPlain) ? [name, ...args].map(({ text }) => text).join(' ') : null;
}

const isNull = (target: Word | undefined) => target?.text === '/dev/null';

/** To nowhere, or to a descriptor that is open already. */
function isHarmless(redirect: Redirection): boolean {
  if (redirect.type !== 'Redirect' || redirect.descriptor?.type === 'FileDescriptorVariable') return false;
  const { operator, target } = redirect;
  return isNull(target) || ((operator === '>&' || operator === '<&') && /^[0-2]$/.test(target?.text ?? ''));
}

/** Expands to text or file names; nothing is run or assigned. */
function isInert(part: WordPart): boolean {
  if (part.type === 'DoubleQuoted') return part.parts.every(isInert);
  if (part.type === 'Glob') return (part.parts ?? []).every(isInert);
  return ['Literal', 'SingleQuoted', 'SimpleExpansion'].includes(part.type);
}

function isFixed(part: WordPart): boolean {
  if (part.type === 'DoubleQuoted') return part.parts.every(isFixed);
  return part.type === 'Literal' || part.type === 'SingleQuoted';
}
