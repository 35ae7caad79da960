import { ToolError } from '../tool-error.js';
import type { McpServer } from './mcp-server.js';

export function serverCalled(name: string, servers: readonly McpServer[]): McpServer {
  const server = servers.find((candidate) => candidate.name === name);
  if (server) return server;
  const known = servers.map((candidate) => candidate.name).join(', ');
  throw new ToolError('NOT_FOUND', `No MCP server here is called '${name}'. There are: ${known}.`);
}
