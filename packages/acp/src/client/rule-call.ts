import { isAbsolute, relative, resolve } from 'node:path';
import type { CreateTerminalRequest } from '@agentclientprotocol/sdk';
import { isPlainObject, type JsonObject } from '@amplifier/core';

/** A call of an external agent in the words that permission rules are written in. */
export interface RuleCall {
  tool: string;
  input: JsonObject;
  paths: readonly string[];
  /** The absolute names of the working folder. */
  folders: readonly string[];
}

/** What the user's permission rules say to a call; null where they say nothing. One that rejects is a no. */
export type AskRules = (
  call: RuleCall,
) => Promise<{ action: 'allow' | 'ask' | 'deny'; because: string } | null>;

const TOOLS: Readonly<Record<string, string>> = {
  read: 'read_file',
  search: 'grep',
  edit: 'edit_file',
  delete: 'edit_file',
  move: 'edit_file',
  execute: 'bash',
  fetch: 'web_fetch',
};

/** `cwd` is the real folder the agent works in, `shown` its name for the agent. A kind that no rule can name goes by its own name. */
export function ruleCall(
  kind: string,
  paths: readonly string[],
  rawInput: unknown,
  cwd: string,
  shown: string,
): RuleCall {
  const input = isPlainObject(rawInput) ? rawInput : {};
  const command = Array.isArray(input.command) ? input.command.map(quoted).join(' ') : input.command;
  return {
    tool: Object.hasOwn(TOOLS, kind) ? (TOOLS[kind] ?? kind) : kind,
    input: { ...input, command },
    paths: paths.map((path) => within(cwd, path)),
    folders: [cwd, shown],
  };
}

/**
 * What a terminal of an agent runs, as one shell line for rules and people: its folder where that is not `cwd`, and its variables
 * count as much as its words. Throws for a variable that no line can set.
 */
export function terminalLine(
  { command, args, env, cwd: folder }: CreateTerminalRequest,
  cwd: string,
): string {
  const place = resolve(cwd, folder ?? '.');
  const variables = (env ?? []).map(({ name, value }) => {
    if (!VARIABLE.test(name)) throw new Error(`${JSON.stringify(name)} is not the name of a variable.`);
    return `${name}=${quoted(value)}`;
  });
  const words = [...variables, ...[command, ...(args ?? [])].map(quoted)];
  return `${place === cwd ? '' : `cd ${quoted(place)} && `}${words.join(' ')}`;
}

const VARIABLE = /^[A-Za-z_]\w*$/;

/** A word of a command as a shell reads it back, never as an assignment. */
function quoted(word: unknown): string {
  const text = String(word);
  const isPlain = /^[\w@%+=:,./-]+$/.test(text) && !/^\w+\+?=/.test(text);
  return isPlain ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function within(cwd: string, path: string): string {
  const inside = relative(cwd, path);
  if (inside === '') return '.';
  return inside.startsWith('..') || isAbsolute(inside) ? path : inside;
}
