import { isPlainObject, type JsonObject } from '@amplifier/core';

/**
 * Agents from an `acp.json` as editors keep it: `{"agent_servers": {"Name": {"command", "args", "env"}}}`. Returns settings for
 * `buildRoster`, and a sentence for each entry that cannot be taken. A name that a built-in has is left to the built-in.
 */
export function importAcpJson(
  document: unknown,
  builtins: readonly string[],
): { agents: Record<string, JsonObject>; skipped: string[] } {
  const servers = isPlainObject(document) ? (document.agent_servers ?? document.agents) : null;
  const agents: Record<string, JsonObject> = {};
  const skipped: string[] = [];
  if (!isPlainObject(servers)) return { agents, skipped: ['It has no object "agent_servers".'] };
  for (const [name, entry] of Object.entries(servers)) {
    const id = name
      .trim()
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '_')
      .replace(/^_+|_+$/g, '');
    const { command, args = [], env = {} } = isPlainObject(entry) ? entry : {};
    if (id === '' || typeof command !== 'string' || !isTexts(args))
      skipped.push(`'${name}' has no command that could be started.`);
    else if (builtins.includes(id))
      skipped.push(`'${name}' is built in; set it up under its own id instead.`);
    else
      agents[id] = {
        display_name: name,
        command: [command, ...args],
        ...(isPlainObject(env) ? { env } : {}),
      };
  }
  return { agents, skipped };
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
