import { isPlainObject, type JsonObject, moduleSpec } from '@amplifier/core';
import { SETTINGS_SCOPES } from '@amplifier/foundation';
import { otherServers } from '../other-tools/other-servers.js';
import type { Project } from '../project/project.js';

/** An MCP server and whoever names it. */
export interface ListedServer {
  name: string;
  /** A scope of the settings, the file of another tool, or the bundle. */
  origin: string;
  config: JsonObject;
  /** Do sessions get its tools? Not while the folder that names it is not trusted. */
  used: boolean;
}

/** Every MCP server that is named for this project, and what is wrong with the files that name them. */
export async function listServers(
  project: Project,
): Promise<{ servers: ListedServer[]; problems: string[] }> {
  const { settings } = project;
  const found = new Map<string, ListedServer>();
  const add = (name: string, origin: string, config: unknown, used: boolean) => {
    if (!found.has(name))
      found.set(name, { name, origin, config: isPlainObject(config) ? config : {}, used });
  };
  for (const scope of [...SETTINGS_SCOPES].reverse())
    for (const [name, config] of Object.entries(settings.scopes[scope]?.mcp_servers ?? {}))
      add(name, scope, config, true);
  const others = await otherServers(project);
  for (const { name, origin, config, used } of others.servers) add(name, origin, config, used);
  const plan = await project.plan();
  for (const entry of plan.tools ?? []) {
    const spec = moduleSpec(entry);
    if (spec?.module === 'tool-mcp' && isPlainObject(spec.config?.servers))
      for (const [name, config] of Object.entries(spec.config.servers)) add(name, 'plan', config, true);
  }
  return { servers: [...found.values()], problems: others.problems };
}
