import { dirname } from 'node:path';
import { isPlainObject, type JsonObject } from '@amplifier/core';
import { confinedPath } from '../documents/confined-path.js';
import { parseJsonc } from '../documents/parse-jsonc.js';
import { readTextFile } from '../documents/read-text-file.js';
import { FoundationError } from '../errors.js';
import { type AgentMember, MEMBER_NAME } from './agent-member.js';
import { textOf } from './frontmatter.js';
import { opencodeAgent } from './opencode-agent.js';

/** How opencode's settings are called. */
export const OPENCODE_CONFIGS = ['opencode.json', 'opencode.jsonc'] as const;

/** Throws for what is no JSON object, without quoting it: the file may be a link to a secret. */
export function parseOpencodeConfig(text: string, file: string): JsonObject {
  let config: unknown;
  try {
    config = parseJsonc(text);
  } catch {
    config = null;
  }
  if (isPlainObject(config)) return config;
  throw new FoundationError(`${file}: It is not JSON. Correct it, or set other_tools: { opencode: false }.`, {
    code: 'INVALID_AGENT',
    place: { file },
  });
}

/** What it says of its agents or commands; newer settings write the word in the plural. */
export function membersOf(config: JsonObject, what: 'agent' | 'command'): JsonObject {
  const sections = [config[what], config[`${what}s`]].filter(isPlainObject);
  return Object.assign({}, ...sections);
}

/** The agents of a file: those that have a text or say what they are for. What only changes one of opencode's own is none. */
export async function opencodeAgentNames(file: string): Promise<string[]> {
  const text = await readTextFile(file).catch(() => '{}');
  const agents = agentsIn(text, file);
  return Object.entries(agents).flatMap(([name, said]) =>
    MEMBER_NAME.test(name) && isPlainObject(said) && isAgent(said) ? [name] : [],
  );
}

function agentsIn(text: string, file: string): JsonObject {
  try {
    return membersOf(parseOpencodeConfig(text, file), 'agent');
  } catch {
    return {}; // Whoever reads the servers of the file says what is wrong with it.
  }
}

function isAgent({ disable, disabled, prompt, description }: JsonObject): boolean {
  return disable !== true && disabled !== true && (textOf(prompt) !== '' || textOf(description) !== '');
}

export async function readOpencodeMember(file: string, name: string): Promise<AgentMember> {
  const text = await readTextFile(file);
  const agents = membersOf(parseOpencodeConfig(text, file), 'agent');
  const said = Object.hasOwn(agents, name) ? agents[name] : undefined;
  const data = isPlainObject(said) ? said : {};
  const [, prompt] = /^\{file:(.+)\}$/.exec(textOf(data.prompt)) ?? [];
  const body = prompt === undefined ? textOf(data.prompt) : await promptIn(prompt.trim(), file);
  const head = { data, placeOf: () => ({ file }), duplicate_keys: [] };
  return { text: `${text}\n${body}`, parsed: opencodeAgent({ head, body }, name) };
}

/** An agent's text goes to a model: it comes from below the folder of the settings, and from no file of keys. */
async function promptIn(path: string, file: string): Promise<string> {
  if (/\.(md|txt)$/i.test(path)) return (await readTextFile(await confinedPath(dirname(file), path))).trim();
  throw new FoundationError(`${file}: '{file:${path}}' is no text for an agent. Name a file .md or .txt.`, {
    code: 'INVALID_AGENT',
    place: { file },
  });
}
