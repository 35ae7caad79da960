import { type JsonObject, type ToolContext, type ToolResult, toolSuccess } from '@amplifier/core';
import { failureOf } from '../define-tool.js';
import { requireGrant, requireSomeWriting } from '../session-grant.js';
import { ToolError } from '../tool-error.js';
import { answerText } from './answer-text.js';
import type { McpServer } from './mcp-server.js';

/**
 * A call of a server's tool. What such a tool does cannot be seen from here, so it counts as changing things unless the
 * operator said otherwise.
 */
export async function callServerTool(
  server: McpServer,
  name: string,
  isReadOnly: boolean,
  input: JsonObject,
  context: ToolContext,
): Promise<ToolResult> {
  try {
    requireServer(server, context);
    if (!isReadOnly) requireSomeWriting(context, `The tool '${name}' of the MCP server '${server.name}'`);
    const { timeout_ms: timeout } = server.config;
    const { signal } = context;
    const result = await server.request(`The tool '${name}'`, (client) =>
      client.callTool(
        { name, arguments: input },
        { signal, timeout, resetTimeoutOnProgress: true, onprogress: () => {} },
      ),
    );
    const text = answerText(result.content, result.structuredContent);
    if (result.isError)
      throw new ToolError('SERVER_FAILED', text || `The tool '${name}' failed without saying why.`);
    return toolSuccess(text);
  } catch (error) {
    if (context.signal.aborted)
      return failureOf(new ToolError('CANCELLED', `The call of '${name}' was cancelled.`, { cause: error }));
    return failureOf(error);
  }
}

/** A server over HTTP is the network. */
export function requireServer({ config }: McpServer, context: ToolContext): void {
  if ('url' in config) requireGrant(context, { kind: 'network', host: new URL(config.url).hostname });
}
