import { createHash } from 'node:crypto';
import { glob, type JsonObject, type Mounts, sanitizeText, type Tool } from '@amplifier/core';
import type { Tool as McpTool } from '@modelcontextprotocol/client';
import { MCP_DESCRIPTION_CHARACTERS, TOOL_NAME_CHARACTERS } from '../defaults.js';
import { callServerTool } from './call-server-tool.js';
import type { McpServer } from './mcp-server.js';

/** Mounts what the server offers now, and follows its changes from then on. */
export async function mountServerTools(server: McpServer, mounts: Mounts): Promise<void> {
  let mounted: string[] = [];
  const mountAll = (tools: readonly McpTool[]) => {
    for (const name of mounted) mounts.unmount('tools', name);
    const { tools: wanted } = server.config;
    const offered = tools.filter(({ name }) => !wanted || glob(wanted)(name));
    mounted = offered.map((tool) => {
      const proxy = proxyTool(server, tool);
      mounts.mount('tools', proxy);
      return proxy.name;
    });
  };
  server.onToolsChanged = mountAll;
  const { tools } = await server.request('Listing the tools', (client) => client.listTools());
  mountAll(tools);
}

function proxyTool(server: McpServer, tool: McpTool): Tool {
  const isReadOnly =
    glob(server.config.read_only_tools)(tool.name) ||
    (server.config.trust_annotations && tool.annotations?.readOnlyHint === true);
  return {
    name: toolName(server.name, tool.name),
    description: sanitizeText(tool.description ?? tool.title ?? tool.name).slice(
      0,
      MCP_DESCRIPTION_CHARACTERS,
    ),
    inputSchema: tool.inputSchema as JsonObject,
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
