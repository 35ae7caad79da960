import type { ArrayValue, SyntaxNode, Word, WordPart } from 'unbash';
import { programName } from './command-runners.js';
import { isInput } from './read-options.js';
import { UNKNOWN } from './unknown-text.js';

/** Builtins that give variables values that are known only when the line runs. */
const READERS = new Set('read mapfile readarray getopts printf'.split(' '));

/** Variables that the shell sets itself, to texts of the line among others. */
const SET_BY_SHELL = '_ REPLY MAPFILE OPTARG BASH_REMATCH PWD OLDPWD DIRSTACK FUNCNAME'.split(' ');

/** Variables of the shell that are integers: what is assigned to them is evaluated. */
const INTEGERS =
  'RANDOM SRANDOM OPTIND HISTCMD SECONDS LINENO BASHPID EPOCHSECONDS EPOCHREALTIME TMOUT'.split(' ');

/** Programs that make files of others. */
const MAKERS = new Set(
  'dd cp mv ln install rsync cat gcc g++ cc c++ clang clang++ tsc javac rustc'.split(' '),
);

/** Files that programs run without being given their names. */
const RUN_UNNAMED: readonly [programs: RegExp, files: RegExp][] = [
  [/^g?make$/, /^(?:GNU)?[mM]akefile$/],
  [/^just$/, /^\.?[jJ]ustfile$/],
  [/^ninja$/, /\.ninja$/],
  [/^cmake$/, /^CMakeLists\.txt$|\.cmake$/],
  [/^cargo$/, /^(?:Cargo|config)\.toml$|\.rs$/],
  [/^go$/, /\.go$|^go\.mod$/],
  [/^(?:npm|pnpm|yarn|bun)$/, /^package\.json$|^\.(?:npm|yarn)rc/],
  [/^(?:node|tsx|deno|bun)/, /\.[cm]?[jt]sx?$|^package\.json$/],
  [/^(?:python|pypy|pytest|py\.test)/, /\.(?:py|pth)$/],
];

/** Evaluates arithmetic in `[[ … ]]`. */
const COMPARES = /^-(?:eq|ne|lt|le|gt|ge)$/;

/** What a line sets, writes and evaluates, as far as parts of it act on each other. */
export class LineEffects {
  /** Variables with values that are not certain to be numbers. */
  readonly #assigned = new Set<string>(SET_BY_SHELL);
  /** Names in arithmetic: their values are evaluated, and may hold a subscript that runs a command. */
  readonly #evaluated = new Set<string>(INTEGERS);
  /** Something is evaluated that is known only when the line runs, such as the output of a command in arithmetic. */
  #evaluatesOutput = false;
  /** Arrays, and variables that a builtin sets to a text: of an array the text is evaluated. */
  readonly #arrays = new Set<string>();
  readonly #redeclared = new Set<string>();
  /** Values that `make` would take for more than a text. */
  #hasCode = false;
  readonly #written = new Set<string>();
  #writesGit = false;
  readonly #made: string[][] = [];
  readonly #programs = new Set<string>();
  readonly #started = new Set<string>();

  /** Looks at one part of the syntax. */
  note(node: SyntaxNode): void {
    switch (node.type) {
      case 'Assignment':
        this.#assign(node.name, isNumber(node.value));
        if (node.index || node.value.type === 'ArrayValue')
          this.#arrays.add(node.name.replace(/\[[\s\S]*/, ''));
        if (node.name === 'BASH_ARGV0') this.#assign('@', false);
        if (node.index) this.#evaluate(node.index.text);
        this.#hasCode ||= node.value.type !== 'Word' || isCode(node.value.text);
        break;
      case 'ArrayValue':
        for (const { text } of node.elements) this.#evaluate(/^\[([\s\S]*)\]\+?=/.exec(text)?.[1] ?? '');
        break;
      case 'Redirect':
        // Its target is expanded twice.
        if (/^[<>]&$/.test(node.operator) && /[$`]/.test(node.target?.text ?? ''))
          this.#evaluatesOutput = true;
        break;
      case 'For':
      case 'Select':
        this.#assign(node.name.value, (node.wordlist ?? []).every(isNumber));
        break;
      case 'Function':
        this.#assign('@', false);
        break;
      case 'Command':
        this.#name([node.name, ...node.args].filter((word) => word?.type === 'Word'));
        break;
      case 'ArithmeticWord':
        this.#evaluate(node.value);
        break;
      case 'ArithmeticCommandExpansion':
        this.#evaluatesOutput = true;
        break;
      case 'ParameterExpansion':
        if (node.index) this.#evaluate(node.index.text);
        if (node.prefix === '!') this.#evaluate(`\${${node.parameter}}`);
        if (node.operation?.type === 'Default' && node.operation.operator.endsWith('='))
          this.#assign(node.parameter, false);
        break;
      case 'Slice':
        this.#evaluate(node.offset.text);
        this.#evaluate(node.length?.text ?? '');
        break;
      case 'TestBinary':
        if (!COMPARES.test(node.operator)) break;
        this.#evaluate(node.left.text);
        this.#evaluate(node.right.text);
        break;
      case 'TestUnary':
        if (/^-[vR]$/.test(node.operator) && /[$`]/.test(node.operand.text)) this.#evaluatesOutput = true;
        break;
    }
  }

  /** The file of a redirection. */
  writes(file: string): void {
    if (file === '/dev/null' || /^[\d-]+$/.test(file)) return;
    this.#written.add(programName(file));
    this.#writesGit ||= /(?:^|\/)\.git(?:config)?(?:\/|$)/.test(file);
  }

  /** A command, with the files whose code it runs. */
  runs([word = '', ...args]: readonly string[], files: readonly string[]): void {
    const name = programName(word);
    this.#programs.add(name);
    if (word.includes('/')) this.#started.add(name);
    for (const file of files) this.#started.add(programName(file.replace(/^-\w/, '')));
    if (READERS.has(name))
      for (const arg of args) {
        const variable = arg.replace(/^-v/, '').replace(/\[[\s\S]*/, '');
        this.#assign(variable, false);
        if (name !== 'printf') this.#arrays.add(variable);
      }
    if (name === 'set') this.#assign('@', false);
    if (name === 'let') for (const arg of args) this.#evaluate(arg.replaceAll(UNKNOWN, '`'));
    if (['declare', 'typeset', 'local', 'readonly', 'export', 'env'].includes(name))
      this.#declare(name, args);
    const isInPlace = name === 'sed' && args.some((arg) => /^-\w*i|^--in/.test(arg));
    if (name === 'tee' || name === 'sponge' || isInPlace) for (const arg of args) this.writes(arg);
    if (name === 'find')
      for (const [at, arg] of args.entries())
        if (/^-f(?:print|ls)/.test(arg)) this.writes(args[at + 1] ?? '');
    if (name === 'dd') for (const arg of args) if (arg.startsWith('of=')) this.writes(arg.slice(3));
    if (MAKERS.has(name)) this.#made.push(args.map((arg) => arg.replace(/^(?:-o|[io]f=)/, '')));
  }

  /** Why a command may run that the line does not show; null if nothing points to one. */
  hidden(): string | null {
    if (this.#evaluatesOutput || [...this.#evaluated].some((name) => this.#assigned.has(name)))
      return 'it evaluates a value that is known only when it runs';
    if ([...this.#redeclared].some((name) => this.#arrays.has(name)))
      return 'it sets an array to a text that is known only when it runs';
    if (this.#hasCode && (this.#programs.has('make') || this.#programs.has('gmake')))
      return 'make expands a variable that the line sets';
    return this.#runsWritten() ? 'it runs a file that it writes' : null;
  }

  #runsWritten(): boolean {
    for (const words of this.#made) {
      const isOfLine = words.some(
        (word) => this.#written.has(programName(word)) || (word !== '-' && isInput(word)),
      );
      for (const word of words) if (isOfLine || /(?:^|\/)\.git\//.test(word)) this.writes(word);
      if (isOfLine) this.#written.add('a.out');
    }
    if (this.#writesGit && this.#programs.has('git')) return true;
    const programs = [...this.#programs];
    const unnamed = RUN_UNNAMED.filter(([names]) => programs.some((name) => names.test(name))).map(
      ([, files]) => files,
    );
    return [...this.#written].some(
      (file) =>
        this.#started.has(file) ||
        (file.includes(UNKNOWN) && this.#started.size > 0) ||
        unnamed.some((pattern) => pattern.test(file)),
    );
  }

  #declare(name: string, args: readonly string[]): void {
    const isInteger = args.some((arg) => /^-\w*i/.test(arg));
    const isArray = args.some((arg) => /^-\w*[aA]/.test(arg));
    for (const arg of args) {
      const [, variable, value] = /^(\w+)(?:\+?=([\s\S]*))?$/.exec(arg) ?? [];
      if (variable === undefined) continue;
      if (isInteger) this.#evaluated.add(variable);
      if (isArray) this.#arrays.add(variable);
      if (value?.includes(UNKNOWN) && name !== 'export' && name !== 'env') this.#redeclared.add(variable);
      if (value === undefined) continue;
      this.#assign(variable, /^-?\d+$/.test(value));
      this.#hasCode ||= isCode(value);
    }
  }

  #assign(name: string, isSafe: boolean): void {
    if (!isSafe) this.#assigned.add(name.replace(/\[[\s\S]*/, ''));
  }

  /** A text without quotes may become `-v NAME` of `test`, any text `-pNAME` of `wait`: they evaluate the name. */
  #name(words: readonly Word[]): void {
    const isWait = words.some(({ value }) => value === 'wait');
    if (!isWait && !words.some(({ value }) => value === 'test' || value === '[')) return;
    const parts = words.flatMap((word) => word.parts ?? []);
    for (const part of isWait
      ? parts.flatMap((each) => ('parts' in each ? (each.parts ?? []) : each))
      : parts) {
      if (part.type === 'CommandExpansion') this.#evaluatesOutput = true;
      if (part.type === 'SimpleExpansion' || part.type === 'ParameterExpansion') this.#evaluate(part.text);
    }
  }

  #evaluate(text: string): void {
    for (const name of text.match(/[A-Za-z_]\w*/g) ?? []) this.#evaluated.add(name);
    if (/\$\{?[\d@*]/.test(text)) this.#evaluated.add('@');
    if (/\$\((?!\()|`/.test(text)) this.#evaluatesOutput = true;
  }
}

function isNumber(value: Word | ArrayValue): boolean {
  if (value.type === 'ArrayValue') return value.elements.every(isNumber);
  return value.parts === undefined ? /^[-+]?\d*$/.test(value.value) : value.parts.every(isNumberPart);
}

function isNumberPart(part: WordPart): boolean {
  switch (part.type) {
    case 'DoubleQuoted':
      return part.parts.every(isNumberPart);
    case 'Literal':
    case 'SingleQuoted':
      return /^[-+]?\d*$/.test(part.value);
    case 'ArithmeticExpansion':
      return true;
    case 'SimpleExpansion':
      return /^\$[?#$!]$/.test(part.text);
    case 'BraceExpansion':
      return /^\{-?\d+\.\.-?\d+(?:\.\.-?\d+)?\}$/.test(part.text);
    case 'ParameterExpansion':
      return part.prefix === '#';
    default:
      return false;
  }
}

/** Not only a plain text: a shell or `make` may expand it. */
const isCode = (text: string): boolean => /[$`;|&<>(){}\n\\#\uE000]/.test(text);
