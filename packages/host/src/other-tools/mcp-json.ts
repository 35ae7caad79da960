import { join } from 'node:path';
import { isPlainObject, type JsonObject, type MountPlan, moduleSpec } from '@amplifier/core';
import { claudeServers } from '@amplifier/foundation';
import { readJsonFile } from '../project/read-json-file.js';

const MODULE = 'tool-mcp';

/** The file in which a project names MCP servers for every tool that reads it. */
export function mcpJsonFile(folder: string): string {
  return join(folder, '.mcp.json');
}

/** The servers of a `.mcp.json`, by name, as `tool-mcp` is configured. Empty where there is no such file. */
export async function mcpServersIn(file: string): Promise<Record<string, JsonObject>> {
  const { mcpServers } = await readJsonFile(file);
  return claudeServers(mcpServers);
}

/** The plan with these servers. A server that the plan itself names stays as it is. */
export function withServers(plan: MountPlan, servers: Readonly<Record<string, unknown>>): MountPlan {
  if (Object.keys(servers).length === 0) return plan;
  const tools = plan.tools ?? [];
  const present = tools.map(moduleSpec).find((spec) => spec?.module === MODULE);
  const own = isPlainObject(present?.config?.servers) ? present.config.servers : {};
  const entry = {
    ...present,
    module: MODULE,
    config: { ...present?.config, servers: { ...servers, ...own } },
  };
  return { ...plan, tools: [...tools.filter((tool) => moduleSpec(tool)?.module !== MODULE), entry] };
}
