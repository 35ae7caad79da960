import { isPlainObject, type JsonObject, type MountPlan, moduleSpec } from '@amplifier/core';

const MODULE = 'tool-mcp';

/**
 * The plan with the tools of more MCP servers, given the way editors name them: `{name, command, args, env}` or
 * `{name, type: 'http', url, headers}`, with `env` and `headers` as lists. Servers of the plan keep their names. What is in
 * `env` and `headers` may be secret, so the plan only refers to it: see `serverVariables`.
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

/** What the plan refers to, by the names it uses. It must be at hand whenever a session of that plan runs. */
export function serverVariables(servers: readonly JsonObject[]): Record<string, string> {
  const values = servers.flatMap((server) =>
    [...pairsOf(server.env), ...pairsOf(server.headers)].map(([name, value]) => [
      variable(server, name),
      value,
    ]),
  );
  return Object.fromEntries(values);
}

function serverEntry(server: JsonObject): [string, JsonObject][] {
  const { type = 'stdio', command, args = [], env, url, headers } = server;
  const id = idOf(server);
  const references = (list: unknown) =>
    Object.fromEntries(pairsOf(list).map(([name]) => [name, `\${${variable(server, name)}}`]));
  if (id === '') return [];
  if (type === 'stdio') return [[id, { command, args, env: references(env) }]];
  return type === 'http' ? [[id, { url, headers: references(headers) }]] : [];
}

function idOf({ name }: JsonObject): string {
  return String(name ?? '').replace(/[^A-Za-z0-9_-]+/g, '_');
}

function variable(server: JsonObject, name: string): string {
  return `AMPLIFIER_LENT_${idOf(server)}_${name}`.toUpperCase().replace(/[^A-Z0-9]+/g, '_');
}

function pairsOf(list: unknown): [string, string][] {
  const entries = Array.isArray(list) ? list.filter(isPlainObject) : [];
  return entries.map(({ name, value }) => [String(name), String(value)]);
}
