import { dirname, resolve } from 'node:path';
import { isPlainObject, type JsonObject } from '@amplifier/core';
import { confinedPath } from '../documents/confined-path.js';
import { parseToml } from '../documents/parse-toml.js';
import { readTextFile } from '../documents/read-text-file.js';
import { type AgentMember, MEMBER_NAME } from './agent-member.js';
import { parseCodexAgent } from './codex-agent.js';
import { textOf } from './frontmatter.js';

/** `[agents.NAME]` of Codex's settings: what the agent is for, and the file that says the rest. */
async function rolesIn(file: string): Promise<[string, JsonObject][]> {
  const text = await readTextFile(file).catch(() => '');
  try {
    const { agents } = parseToml(text, file);
    return Object.entries(isPlainObject(agents) ? agents : {}).flatMap(([name, said]) =>
      MEMBER_NAME.test(name) && isPlainObject(said) ? [[name, said] as [string, JsonObject]] : [],
    );
  } catch {
    return []; // Whoever reads the servers of the file says what is wrong with it.
  }
}

export async function codexAgentNames(file: string): Promise<string[]> {
  return (await rolesIn(file)).map(([name]) => name);
}

/** The files that belong to agents of the settings: by themselves they are none. */
export async function codexRoleFiles(file: string): Promise<ReadonlySet<string>> {
  const files = (await rolesIn(file)).map(([, { config_file }]) => textOf(config_file));
  return new Set(files.filter((path) => path !== '').map((path) => resolve(dirname(file), path)));
}

export async function readCodexMember(file: string, name: string): Promise<AgentMember> {
  const said = Object.fromEntries(await rolesIn(file))[name] ?? {};
  const path = textOf(said.config_file);
  const config = path === '' ? file : await confinedPath(dirname(file), path);
  const text = path === '' ? '' : await readTextFile(config);
  const declared = { name, description: textOf(said.description) };
  return { text: `${JSON.stringify(said)}\n${text}`, parsed: parseCodexAgent(text, config, declared) };
}
