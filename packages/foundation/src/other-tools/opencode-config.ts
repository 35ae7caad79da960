import { dirname } from 'node:path';
import { isPlainObject, type JsonObject } from '@amplifier/core';
import type { ParsedAgent } from '../agents/parse-agent.js';
import { confinedPath } from '../documents/confined-path.js';
import { parseJsonc } from '../documents/parse-jsonc.js';
import { readTextFile } from '../documents/read-text-file.js';
import { FoundationError } from '../errors.js';
import { textOf } from './frontmatter.js';
import { opencodeAgent } from './opencode-agent.js';

/** How opencode's settings are called. */
export const OPENCODE_CONFIGS = ['opencode.json', 'opencode.jsonc'] as const;

/** An agent in such a file goes by a path of its own: `opencode.json/NAME`. */
const MEMBER = /^(.*[\\/]opencode\.jsonc?)[\\/](.+)$/;

/** A name is part of a path, and must not lead elsewhere. */
const NAME = /^[A-Za-z0-9_][\w-]*$/;

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

/** The agents of a file: those that have a text or say what they are for. What only changes one of opencode's own is none. */
export async function opencodeAgentNames(file: string): Promise<string[]> {
  const text = await readTextFile(file).catch(() => '{}');
  const agents = agentsIn(text, file);
  return Object.entries(agents).flatMap(([name, said]) =>
    NAME.test(name) && isPlainObject(said) && isAgent(said) ? [name] : [],
  );
}

function agentsIn(text: string, file: string): JsonObject {
  try {
    const { agent } = parseOpencodeConfig(text, file);
    return isPlainObject(agent) ? agent : {};
  } catch {
    return {}; // Whoever reads the servers of the file says what is wrong with it.
  }
}

function isAgent({ disable, disabled, prompt, description }: JsonObject): boolean {
  return disable !== true && disabled !== true && (textOf(prompt) !== '' || textOf(description) !== '');
}

/** The agent at such a path, with all that it was read from; null for any other path. */
export async function readOpencodeMember(
  path: string,
): Promise<{ text: string; parsed: ParsedAgent } | null> {
  const [, file = '', name = ''] = MEMBER.exec(path) ?? [];
  if (file === '') return null;
  const text = await readTextFile(file);
  const { agent } = parseOpencodeConfig(text, file);
  const said = isPlainObject(agent) && Object.hasOwn(agent, name) ? agent[name] : undefined;
  const data = isPlainObject(said) ? said : {};
  const [, prompt] = /^\{file:(.+)\}$/.exec(textOf(data.prompt)) ?? [];
  // Only below the folder of the settings: an agent's text goes to a model.
  const body =
    prompt === undefined
      ? textOf(data.prompt)
      : (await readTextFile(await confinedPath(dirname(file), prompt.trim()))).trim();
  const head = { data, placeOf: () => ({ file }), duplicate_keys: [] };
  return { text: `${text}\n${body}`, parsed: opencodeAgent({ head, body }, name) };
}

/** The file that an agent's path leads to. */
export function fileOfAgent(path: string): string {
  return MEMBER.exec(path)?.[1] ?? path;
}
