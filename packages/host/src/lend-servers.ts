import { isPlainObject, type JsonObject, type MountPlan, moduleSpec } from '@amplifier/core';

const MODULE = 'tool-mcp';

/**
 * The plan with the tools of more MCP servers, given the way editors name them: `{name, command, args, env}` or
 * `{name, type: 'http', url, headers}`, with `env` and `headers` as lists. Servers of the plan keep their names.
 */
export function lendServers(plan: MountPlan, servers: readonly JsonObject[]): MountPlan {
  const lent = Object.fromEntries(servers.flatMap(serverEntry));
  if (Object.keys(lent).length === 0) return plan;
  const tools = plan.tools ?? [];
  const present = tools.map(moduleSpec).find((spec) => spec?.module === MODULE);
  const own = isPlainObject(present?.config?.servers) ? present.config.servers : {};
  const entry = { ...present, module: MODULE, config: { ...present?.config, servers: { ...lent, ...own } } };
  return { ...plan, tools: [...tools.filter((tool) => moduleSpec(tool)?.module !== MODULE), entry] };
}

function serverEntry(server: JsonObject): [string, JsonObject][] {
  const { name, type = 'stdio', command, args = [], env, url, headers } = server;
  const id = String(name ?? '').replace(/[^A-Za-z0-9_-]+/g, '_');
  if (id === '') return [];
  if (type === 'stdio') return [[id, { command, args, env: pairs(env) }]];
  return type === 'http' ? [[id, { url, headers: pairs(headers) }]] : [];
}

function pairs(list: unknown): Record<string, string> {
  const entries = Array.isArray(list) ? list.filter(isPlainObject) : [];
  return Object.fromEntries(entries.map(({ name, value }) => [String(name), String(value)]));
}
