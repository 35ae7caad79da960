import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { domainToASCII } from 'node:url';
import { escapeGlob, glob, isPlainObject, type JsonObject } from '@amplifier/core';
import { realPathOf, type Unreadable, WorkspaceError } from '@amplifier/workspace';
import { loadShellParser } from '../../shell/load-shell-parser.js';
import { UNKNOWN } from '../../shell/unknown-text.js';
import { DECISION_STEPS, MAX_RULES } from '../defaults.js';
import { type CommandTexts, commandTexts } from './command-texts.js';

export const PERMISSION_ACTIONS = ['allow', 'ask', 'deny'] as const;
export type PermissionAction = (typeof PERMISSION_ACTIONS)[number];

/** A rule as it is written, and where. */
export interface PermissionRule {
  action: PermissionAction;
  /** Such as `bash: git status *`. */
  text: string;
  /** The file it is in, in words for a person. */
  from: string;
  tool: string;
  /** Null covers every call of the tool. */
  pattern: string | null;
}

/** A rule of which the absolute pattern is found on this machine, so that it is compared with absolute paths. */
export interface PlacedRule extends PermissionRule {
  /** Absolute globs, as written and with links resolved; null for a pattern from the working folder. */
  places: readonly string[] | null;
}

/** What a rule is held against: a command, a path, an address, an agent. */
export interface PermissionCall {
  tool: string;
  input: JsonObject;
  paths: readonly string[];
  /** The absolute names of the working folder, from which `paths` may be relative. */
  folders: readonly string[];
  /** The agent of the session that makes the call. */
  agent?: string | null;
}

const FILE_CHANGES = ['write_file', 'edit_file', 'multi_edit'];
const FILE_LOOKS = ['read_file', 'list_files', 'grep', 'glob'];

/** Tools by the names people and other programs know them by, in small letters. */
const KNOWN_AS: Readonly<Record<string, readonly string[]>> = {
  write: FILE_CHANGES,
  edit: FILE_CHANGES,
  multiedit: FILE_CHANGES,
  notebookedit: FILE_CHANGES,
  read: FILE_LOOKS,
  ls: ['list_files'],
  webfetch: ['web_fetch'],
  websearch: ['web_search'],
  agent: ['delegate', 'task'],
  delegate: ['delegate', 'task'],
  task: ['delegate', 'task'],
  skill: ['load_skill'],
};

/** The tools that a name in a rule means; it may have wildcards. */
export function toolsNamed(name: string): readonly string[] {
  const small = name.toLowerCase();
  const known = Object.hasOwn(KNOWN_AS, small) ? KNOWN_AS[small] : undefined;
  if (known) return known;
  const [, server, tool] = /^mcp__(.+?)(?:__(.+))?$/.exec(small) ?? [];
  if (server !== undefined) return [`mcp_${server}_${tool ?? '*'}`];
  return [small];
}

/** `Tool`, `Tool(pattern)` or `tool: pattern`. Throws with what is wrong. */
export function splitRule(text: string): { tool: string; pattern: string | null } {
  const [, tool, rest = ''] = /^([\w.*?-]+)([\s\S]*)$/.exec(text.trim()) ?? [];
  const behind = rest.trim();
  const isCall = behind.startsWith('(') && behind.endsWith(')');
  if (tool === undefined || (behind !== '' && !isCall && !behind.startsWith(':')))
    throw new RangeError(
      `'${text}' is not a rule. Write a tool and what it may be used on, such as "bash: git status *", or "Bash(git status *)".`,
    );
  // Quotes around the whole are YAML's, not the pattern's.
  const pattern = behind
    .slice(1, isCall ? -1 : undefined)
    .trim()
    .replace(/^(["'])([^"']*)\1$/, '$2');
  const rule = { tool, pattern: pattern === '' || pattern === '*' ? null : pattern };
  if (rule.pattern === null) return rule;
  if (isNegated(rule.pattern)) throw new RangeError(`The pattern of '${text}' ${NO_NEGATION}`);
  glob(rule.pattern); // Too long or too many alternatives is said now.
  return rule;
}

/** Would a glob of it match what the pattern does not name? Also behind what is taken off a pattern before it is compared. */
export function isNegated(pattern: string): boolean {
  return /^(?:\.\/|amplifier:|domain:)*!/i.test(pattern);
}

export const NO_NEGATION =
  'begins with "!", and rules have no negation. Name what the rule is about: a deny rule precedes all others, and of the rest the narrowest decides.';

/** The rules of one `permissions` section: lists of texts, or of mappings such as `bash: "git status *"`. */
export function readRules(section: unknown, from: string): PermissionRule[] {
  if (section === undefined || section === null) return [];
  if (!isPlainObject(section)) throw notRules(from);
  const rules = PERMISSION_ACTIONS.flatMap((action) => {
    const listed = section[action] ?? [];
    if (!Array.isArray(listed) && !isPlainObject(listed)) throw notRules(from);
    return [listed].flat().flatMap((entry) => textsOf(entry, from).map((text) => ({ action, from, text })));
  });
  if (rules.length > MAX_RULES)
    throw new RangeError(`There are ${rules.length} permission rules in ${from}; ${MAX_RULES} are read.`);
  return rules.map((rule) => ({ ...rule, ...splitRule(rule.text) }));
}

function textsOf(entry: unknown, from: string): string[] {
  if (typeof entry === 'string') return [entry];
  if (!isPlainObject(entry)) throw notRules(from);
  return Object.entries(entry).flatMap(([tool, patterns]) =>
    [patterns].flat().map((pattern) => {
      if (typeof pattern !== 'string') throw notRules(from);
      return `${tool}: ${pattern}`;
    }),
  );
}

function notRules(from: string): RangeError {
  return new RangeError(
    `The permissions in ${from} cannot be read. Write lists, such as permissions: { allow: [{ bash: "git status *" }] }`,
  );
}

/** What about a call is looked at, each piece by itself. */
export function subjectsOf({ tool, input, paths }: PermissionCall): string[] {
  if (tool === 'bash') return [textOf(input.command)];
  if (tool === 'web_fetch') return [textOf(input.url)];
  if (tool === 'web_search') return [textOf(input.query)];
  if (tool === 'delegate' || tool === 'task') return [textOf(input.agent ?? input.subagent_type)];
  if (tool === 'load_skill') return [textOf(input.skill_name ?? input.name)];
  return paths.length > 0 ? [...paths] : ['.'];
}

const textOf = (value: unknown) => (typeof value === 'string' ? value.trim() : '');

/** What one decision may take, and the commands it has read so far. Both rules and calls may be written to take long. */
export interface Effort {
  steps: number;
  /** Reads a line for the shell. */
  read(line: string): CommandTexts;
}

/** Loads the parser only for a call of the shell. */
export async function newEffort(tool: string): Promise<Effort> {
  const known = new Map<string, CommandTexts>();
  const parse = tool === 'bash' ? await loadShellParser() : null;
  return {
    steps: DECISION_STEPS,
    read(line) {
      if (!parse) throw new TypeError(`The tool ${tool} takes no line for a shell.`);
      const found = known.get(line) ?? commandTexts(line, parse(line));
      known.set(line, found);
      return found;
    },
  };
}

/**
 * True if the rule, which names the tool, covers this piece of the call. One that allows covers only what is understood in full. Throws a `RangeError`
 * when the decision takes more than it may.
 */
export function covers(rule: PlacedRule, call: PermissionCall, subject: string, effort: Effort): boolean {
  const { pattern } = rule;
  const { tool } = call;
  if (pattern === null) return true;
  if (tool === 'bash') return coversCommand(rule.action, pattern, subject, effort);
  if (tool === 'web_fetch') return coversAddress(pattern, subject, effort);
  if (FILE_CHANGES.includes(tool) || FILE_LOOKS.includes(tool))
    return coversPath(rule, pattern, call, subject, effort);
  if (tool === 'delegate' || tool === 'task') return coversAgent(rule.action, pattern, call, effort);
  if (glob(pattern, { anywhere: true, nocase: true, effort })(subject)) return true;
  // A tool of a server may take paths, too.
  return rule.action !== 'allow' && rule.places !== null && call.paths.includes(subject)
    ? coversPath(rule, pattern, call, subject, effort)
    : false;
}

function coversPath(
  { action, places }: PlacedRule,
  pattern: string,
  { folders }: PermissionCall,
  subject: string,
  effort: Effort,
): boolean {
  if (places === null) return glob(pathGlobs(pattern), { dot: true, effort })(subject);
  const matches = glob(places, { dot: true, effort });
  if (folders.some((folder) => matches(resolve(folder, subject)))) return true;
  // A rule that allows must not allow more than it says.
  const fromFolder = action === 'allow' ? null : inFolder(pattern);
  return fromFolder !== null && glob([fromFolder, `${fromFolder}/**`], { dot: true, effort })(subject);
}

/**
 * An agent has several names: `explorer`, `foundation:explorer` by its bundle, `amplifier:explorer` as a Markdown agent. A rule that
 * denies or asks covers an agent by each of them, one that allows by the name in the call.
 */
function coversAgent(
  action: PermissionAction,
  pattern: string,
  call: PermissionCall,
  effort: Effort,
): boolean {
  const options = { anywhere: true, nocase: true, effort };
  const named = textOf(call.input.agent ?? call.input.subagent_type).replace(/^amplifier:/i, '');
  const rule = pattern.replace(/^amplifier:/i, '');
  if (action === 'allow') return glob(rule, options)(named);
  const resumed = /^[0-9a-f]{16}-[0-9a-f]{16}_(.+)$/.exec(textOf(call.input.session_id))?.[1];
  const own = named.toLowerCase() === 'self' ? (call.agent ?? '') : '';
  const matches = (text: string) => glob(rule, options)(text);
  const isNamed = [named, own].some(
    (name) =>
      name !== '' &&
      (matches(name) ||
        matches(bareName(name)) ||
        (!name.includes(':') && glob(bareName(rule), options)(name))),
  );
  return isNamed || (resumed !== undefined && glob([inId(rule), inId(bareName(rule))], options)(resumed));
}

/** A name as the id of a session has it. */
const inId = (name: string) => name.toLowerCase().replace(/[^a-z0-9*?]+/g, '-');

const bareName = (name: string) => name.slice(name.lastIndexOf(':') + 1);

export function namesTool({ tool: named }: PermissionRule, tool: string, effort: Effort): boolean {
  return glob(toolsNamed(named), { anywhere: true, effort })(tool);
}

/** Where files are found by names in any case, so are programs. */
const nocase = process.platform === 'darwin' || process.platform === 'win32';

export function coversCommand(
  action: PermissionAction,
  pattern: string,
  command: string,
  effort: Effort,
): boolean {
  if (action === 'allow') return glob(commandGlobs(pattern), { anywhere: true, effort })(command);
  return effort.read(command).texts.some(glob(strictGlobs(pattern), { anywhere: true, nocase, effort }));
}

/**
 * Why a rule that denies or asks may cover a line in which it finds no command to cover: a command, or a word of one, is known only
 * when it runs. Null if that cannot be.
 */
export function mayCoverCommand(pattern: string, command: unknown, effort: Effort): string | null {
  if (typeof command !== 'string') return 'the command is not shown';
  const { possible, hidden } = effort.read(command.trim());
  if (hidden !== null) return hidden;
  const matches = glob(strictGlobs(pattern), { anywhere: true, nocase, unknown: UNKNOWN, effort });
  return possible.some(matches) ? 'a word of it is known only when it runs' : null;
}

/** Rules that deny or ask are compared with words without their quotes. */
function strictGlobs(pattern: string): string[] {
  return [pattern, pattern.replace(/["']/g, '')].flatMap(commandGlobs);
}

/** `git status *` and `git status:*` cover `git status` alone, too, but not `git statusx`. */
function commandGlobs(pattern: string): string[] {
  const spaced = pattern.replace(/:\*$/, ' *');
  return spaced.endsWith(' *') ? [spaced, spaced.slice(0, -2)] : [spaced];
}

/** A pattern with `://` is held against the whole address, one with a slash against host and path, any other against the host. */
function coversAddress(written: string, address: string, effort: Effort): boolean {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null) return false;
  // `evil.com.` is the same host as `evil.com`.
  url.hostname = url.hostname.replace(/\.+$/, '');
  const pattern = asciiHost(written);
  const domain = /^domain:(.+)$/i.exec(pattern)?.[1];
  const options = { anywhere: true, nocase: true, effort };
  if (domain !== undefined) return glob([domain, `*.${domain}`], options)(url.hostname);
  if (pattern.includes('://')) return glob(pattern, options)(url.href);
  return glob(pattern, options)(pattern.includes('/') ? `${url.host}${url.pathname}` : url.hostname);
}

/** The host of a pattern as addresses have it: international names in ASCII, without dots at the end. */
function asciiHost(pattern: string): string {
  return pattern.replace(/^((?:[\w*]+:\/\/|domain:)?)([^/:]+)/i, (_, before: string, host: string) => {
    const labels = host.replace(/\.+$/, '').split('.');
    return (
      before +
      labels.map((label) => (/^[ -~]*$/.test(label) ? label : domainToASCII(label) || label)).join('.')
    );
  });
}

/** As in a `.gitignore`: a bare name is meant at any depth, and a folder with all that is in it. */
function pathGlobs(pattern: string): string[] {
  const path = pathOf(pattern);
  const anywhere = path.includes('/') ? [path] : [path, `**/${path}`];
  return anywhere.flatMap((each) => [each, `${each}/**`]);
}

/** The path in a pattern, from the working folder unless it is absolute. `//` begins at the root, `~/` at home. */
function pathOf(pattern: string): string {
  const path = pattern.startsWith('//')
    ? pattern.slice(1)
    : pattern.startsWith('~/')
      ? `${homedir()}${pattern.slice(1)}`
      : pattern.replace(/^\.\//, '');
  return path.length > 1 ? path.replace(/\/$/, '') : path;
}

/** `/name` with one slash begins at the root, but for Claude Code at the project: a rule that denies or asks means both. */
function inFolder(pattern: string): string | null {
  return /^\/[^/]/.test(pattern) ? pathOf(pattern).slice(1) : null;
}

/** Looks for the place that the rule names, if it names an absolute one. */
export async function placeRule(rule: PermissionRule): Promise<PlacedRule> {
  if (rule.pattern === null || !/^~?\//.test(rule.pattern)) return { ...rule, places: null };
  const found = await absoluteGlobs(pathOf(rule.pattern), rule.action !== 'allow');
  return { ...rule, places: found.flatMap((each) => [each, each === '/' ? '/**' : `${each}/**`]) };
}

const WILDCARD = /[*?[{\\]/;

/** An absolute pattern as written and, for a strict one, with the links of the part before its first wildcard resolved. */
async function absoluteGlobs(pattern: string, isStrictOne: boolean): Promise<string[]> {
  const parts = pattern.split('/');
  const wild = parts.findIndex((part) => WILDCARD.test(part));
  const fixed = resolve('/', parts.slice(0, wild === -1 ? undefined : wild).join('/'));
  const rest = wild === -1 ? '' : parts.slice(wild).join('/');
  const folders = isStrictOne ? [fixed, await realOrWritten(fixed)] : [fixed];
  return [...new Set(folders)].map((folder) => {
    const before = escapeGlob(folder);
    return rest === '' ? before : `${before === '/' ? '' : before}/${rest}`;
  });
}

/** Nothing can be opened by a path whose links form a loop. */
async function realOrWritten(path: string): Promise<string> {
  return realPathOf(path).catch((error) => {
    if (error instanceof WorkspaceError) return path;
    throw error;
  });
}

/**
 * What rules that deny reading files name, for the grant of a session in `folder`: then every tool and the sandbox hold them. A rule
 * without a pattern names only the tools.
 */
export async function unreadablePaths(rules: readonly PermissionRule[], folder: string): Promise<Unreadable> {
  const paths: string[] = [];
  const globs: string[] = [];
  for (const { action, tool, pattern } of rules) {
    if (action !== 'deny' || pattern === null) continue;
    if (!glob(toolsNamed(tool), { anywhere: true })('read_file')) continue;
    const whole = (path: string) => path.replace(/\/\*\*$/, '') || '/';
    const path = whole(pathOf(pattern));
    const fromFolder = /^~?\//.test(pattern) ? inFolder(pattern) : path;
    if (!pathOf(pattern).includes('/')) globs.push(`${escapeGlob(folder)}/**/${path}`);
    else if (WILDCARD.test(path)) {
      if (path.startsWith('/')) globs.push(...(await absoluteGlobs(path, true)));
      if (fromFolder !== null) globs.push(`${escapeGlob(folder)}/${whole(fromFolder)}`);
    } else {
      const place = resolve(folder, path);
      paths.push(place, await realOrWritten(place));
      if (fromFolder !== null) paths.push(join(folder, whole(fromFolder)));
    }
  }
  return { paths, globs };
}

/** The pieces of a call, each of which must be allowed; null where a rule with a pattern cannot allow it. */
export function allowableParts(call: PermissionCall, effort: Effort): readonly string[] | null {
  const subjects = subjectsOf(call);
  return call.tool === 'bash' ? effort.read(subjects[0] ?? '').plain : subjects;
}

/** How narrow a rule is: by what must be there of the pattern, then of the tool's name. */
export function narrowness({ tool, pattern }: PermissionRule): [number, number] {
  const literal = (text: string) => text.replace(/[*?]/g, '').length;
  return [pattern === null ? -1 : literal(pattern), literal(tool)];
}
