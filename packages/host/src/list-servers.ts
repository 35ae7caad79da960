import { errorInfo, isPlainObject, type JsonObject, moduleSpec } from '@amplifier/core';
import { SETTINGS_SCOPES } from '@amplifier/foundation';
import type { Project } from './open-project.js';
import { enabledTools } from './other-tools/enabled-tools.js';
import { mcpJsonFile, mcpServersIn } from './other-tools/mcp-json.js';

/** An MCP server and whoever names it. */
export interface ListedServer {
  name: string;
  /** A scope of the settings, `.mcp.json`, or the bundle. */
  origin: string;
  config: JsonObject;
  /** Do sessions get its tools? Not while the folder that names it is not trusted. */
  used: boolean;
}

/** Every MCP server that is named for this project, and what is wrong with the files that name them. */
export async function listServers(
  project: Project,
): Promise<{ servers: ListedServer[]; problems: string[] }> {
  const { settings, trust, paths } = project;
  const problems: string[] = [];
  const found = new Map<string, ListedServer>();
  const add = (name: string, origin: string, config: unknown, used: boolean) => {
    if (!found.has(name))
      found.set(name, { name, origin, config: isPlainObject(config) ? config : {}, used });
  };
  for (const scope of [...SETTINGS_SCOPES].reverse())
    for (const [name, config] of Object.entries(settings.scopes[scope]?.mcp_servers ?? {}))
      add(name, scope, config, true);
  if (enabledTools(settings.settings).has('claude_code')) {
    const shared = await mcpServersIn(mcpJsonFile(paths.cwd)).catch((error) => {
      problems.push(errorInfo(error).message);
      return {};
    });
    for (const [name, config] of Object.entries(shared))
      add(name, '.mcp.json', config, trust.state === 'trusted');
  }
  const plan = await project.plan();
  for (const entry of plan.tools ?? []) {
    const spec = moduleSpec(entry);
    if (spec?.module === 'tool-mcp' && isPlainObject(spec.config?.servers))
      for (const [name, config] of Object.entries(spec.config.servers)) add(name, 'plan', config, true);
  }
  return { servers: [...found.values()], problems };
}
