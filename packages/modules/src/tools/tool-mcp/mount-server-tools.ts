import { createHash } from 'node:crypto';
import { glob, type Mounts, type Tool } from '@amplifier/core';
import type { Tool as McpTool } from '@modelcontextprotocol/client';
import { MCP_TOOLS, TOOL_NAME_CHARACTERS } from '../defaults.js';
import { boundedTool } from './bounded-tool.js';
import { callServerTool } from './call-server-tool.js';
import type { HiddenTools } from './find-tool.js';
import { knownOffer, storeOffer } from './known-offers.js';
import type { McpServer } from './mcp-server.js';
import type { ToolOwners } from './tool-owners.js';

/**
 * What the server offers, as far as the operator wants it: as it was when last asked, so that it is started only when it is
 * needed. One that the session cannot do without is asked now, and so is one that this session may not start or reach.
 */
export async function serverTools(server: McpServer): Promise<Tool[]> {
  const { required, start } = server.config;
  const isAsked = required || start === 'with_session' || !(await server.isAllowed());
  const known = isAsked ? null : await knownOffer(server.config);
  if (known) {
    server.expect(known);
    return proxies(server, known.tools);
  }
  const { tools } = await server.request('Listing the tools', (client) => client.listTools());
  await storeOffer(server.config, { tools, ...server.offers }).catch(() => {});
  return proxies(server, tools);
}

/** Offers these tools of a server, and follows its changes from then on. Where they are hidden, the model has to look for them. */
export function mountServerTools(
  server: McpServer,
  tools: readonly Tool[],
  { mounts, hidden, owners }: { mounts: Mounts; hidden: HiddenTools | null; owners: ToolOwners },
): void {
  let mounted: string[] = [];
  const mountAll = (offered: readonly Tool[]) => {
    for (const name of mounted) {
      if (!owners.release(server, name)) continue;
      if (hidden) hidden.remove(name);
      else mounts.unmount('tools', name);
    }
    const own = owners.claim(server, offered);
    for (const tool of own) {
      if (hidden) hidden.add(tool);
      else mounts.mount('tools', tool);
    }
    mounted = own.map(({ name }) => name);
  };
  server.onToolsChanged = (changed) => mountAll(proxies(server, changed));
  mountAll(tools);
}

function proxies(server: McpServer, tools: readonly McpTool[]): Tool[] {
  const { tools: wanted } = server.config;
  const offered = tools.filter(({ name }) => !wanted || glob(wanted)(name));
  if (offered.length > MCP_TOOLS) server.reportCut(MCP_TOOLS, offered.length);
  return offered.slice(0, MCP_TOOLS).map((tool) => proxyTool(server, tool));
}

function proxyTool(server: McpServer, tool: McpTool): Tool {
  const isReadOnly =
    glob(server.config.read_only_tools)(tool.name) ||
    (server.config.trust_annotations && tool.annotations?.readOnlyHint === true);
  return {
    name: toolName(server.name, tool.name),
    ...boundedTool(tool),
    execute: (input, context) => callServerTool(server, tool.name, isReadOnly, input, context),
  };
}

/** Readable where it can be, unique always. */
export function toolName(server: string, tool: string): string {
  const plain = `mcp_${server}_${tool}`;
  const name = plain.replace(/[^A-Za-z0-9_-]/g, '_');
  if (name === plain && name.length <= TOOL_NAME_CHARACTERS) return name;
  const digest = createHash('sha256').update(plain).digest('hex').slice(0, 8);
  return `${name.slice(0, TOOL_NAME_CHARACTERS - 9)}_${digest}`;
}
