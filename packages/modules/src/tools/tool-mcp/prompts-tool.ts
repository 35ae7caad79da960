import type { Tool } from '@amplifier/core';
import { z } from 'zod';
import { defineTool } from '../define-tool.js';
import { ToolError } from '../tool-error.js';
import { answerText } from './answer-text.js';
import { requireServer } from './call-server-tool.js';
import type { McpServer } from './mcp-server.js';
import { serverCalled } from './server-called.js';

const Input = z.object({
  action: z.enum(['list', 'get']),
  server: z.string().describe('The name of the server'),
  name: z.string().optional().describe('The prompt to get'),
  arguments: z.record(z.string(), z.string()).default({}),
});

export function promptsTool(servers: readonly McpServer[]): Tool {
  const offering = servers.filter(({ offers }) => offers.prompts);
  return defineTool({
    name: 'mcp_prompts',
    description: `List or fill in the prompts of MCP servers: ${offering.map(({ name }) => name).join(', ')}.`,
    input: Input,
    async run({ action, server: serverName, name, arguments: args }, context) {
      const server = serverCalled(serverName, offering);
      requireServer(server, context);
      const { signal } = context;
      if (action === 'list') {
        const { prompts } = await server.request('Listing the prompts', (client) =>
          client.listPrompts({}, { signal }),
        );
        return {
          prompts: prompts.map(({ name, description, arguments: takes = [] }) => ({
            name,
            description,
            arguments: takes,
          })),
        };
      }
      if (name === undefined)
        throw new ToolError('INVALID_INPUT', 'The action get needs the name of a prompt.');
      const { messages, description } = await server.request(`The prompt '${name}'`, (client) =>
        client.getPrompt({ name, arguments: args }, { signal }),
      );
      return {
        description,
        messages: messages.map(({ role, content }) => ({ role, text: answerText([content]) })),
      };
    },
  });
}
