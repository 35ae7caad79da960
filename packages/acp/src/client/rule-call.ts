import { isAbsolute, relative } from 'node:path';
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

/** A word of a command as a shell reads it back. */
function quoted(word: unknown): string {
  const text = String(word);
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function within(cwd: string, path: string): string {
  const inside = relative(cwd, path);
  if (inside === '') return '.';
  return inside.startsWith('..') || isAbsolute(inside) ? path : inside;
}
