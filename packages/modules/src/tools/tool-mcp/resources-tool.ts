import type { Tool } from '@amplifier/core';
import { z } from 'zod';
import { defineTool } from '../define-tool.js';
import { ToolError } from '../tool-error.js';
import { resourceText } from './answer-text.js';
import { requireServer } from './call-server-tool.js';
import type { McpServer } from './mcp-server.js';
import { serverCalled } from './server-called.js';

const Input = z.object({
  action: z.enum(['list', 'read']),
  server: z.string().describe('The name of the server'),
  uri: z.string().optional().describe('The resource to read'),
});

export function resourcesTool(servers: readonly McpServer[]): Tool {
  const offering = servers.filter(({ offers }) => offers.resources);
  return defineTool({
    name: 'mcp_resources',
    description: `List or read the resources of MCP servers: ${offering.map(({ name }) => name).join(', ')}.`,
    input: Input,
    async run({ action, server: name, uri }, context) {
      const server = serverCalled(name, offering);
      requireServer(server, context);
      const { signal } = context;
      if (action === 'list') {
        const { resources } = await server.request('Listing the resources', (client) =>
          client.listResources({}, { signal }),
        );
        const { resourceTemplates } = await server.request('Listing the resources', (client) =>
          client.listResourceTemplates({}, { signal }),
        );
        return {
          resources: resources.map(({ uri, name, description }) => ({ uri, name, description })),
          templates: resourceTemplates.map(({ uriTemplate, name, description }) => ({
            uri_template: uriTemplate,
            name,
            description,
          })),
        };
      }
      if (uri === undefined)
        throw new ToolError('INVALID_INPUT', 'The action read needs the uri of a resource.');
      const { contents } = await server.request(`The resource '${uri}'`, (client) =>
        client.readResource({ uri }, { signal }),
      );
      return resourceText(contents);
    },
  });
}
