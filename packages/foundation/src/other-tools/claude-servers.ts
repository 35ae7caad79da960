import { isPlainObject, type JsonObject } from '@amplifier/core';

/** MCP servers as Claude Code writes them, by name, as `tool-mcp` is configured. */
export function claudeServers(said: unknown): Record<string, JsonObject> {
  const servers = Object.entries(isPlainObject(said) ? said : {});
  return Object.fromEntries(servers.flatMap(([name, server]) => serverEntry(name, server)));
}

/** Those of a single agent: a list of names of servers that there are, and of servers of its own; or a mapping of these. */
export function agentServers(said: unknown): { named: string[]; own: Record<string, JsonObject> } {
  const entries = Array.isArray(said) ? said : [said];
  return {
    named: entries.filter((entry) => typeof entry === 'string' && entry !== '').map(idOf),
    own: Object.assign({}, ...entries.map(claudeServers)),
  };
}

function idOf(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]+/g, '_');
}

function serverEntry(name: string, server: unknown): [string, JsonObject][] {
  if (!isPlainObject(server)) return [];
  const { command, args, env, url, headers } = server;
  const given = typeof url === 'string' ? { url, headers } : { command, args, env };
  return [
    [
      idOf(name),
      ourReferences(Object.fromEntries(Object.entries(given).filter(([, value]) => value != null))),
    ],
  ];
}

/** `${NAME:-default}` as ours: `${NAME:default}`. */
function ourReferences<Value>(value: Value): Value {
  if (typeof value === 'string') return value.replace(/(\$\{\w+):-/g, '$1:') as Value;
  if (Array.isArray(value)) return value.map(ourReferences) as Value;
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, ourReferences(member)]),
  ) as Value;
}
