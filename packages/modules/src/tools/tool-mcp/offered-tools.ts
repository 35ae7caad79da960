import type { Mounts, Tool } from '@amplifier/core';
import { z } from 'zod';
import { MCP_TOOLS_CHARACTERS } from '../defaults.js';
import { defineTool } from '../define-tool.js';
import { ToolError } from '../tool-error.js';
import { answerText, resourceText } from './answer-text.js';
import { sizeOfTool } from './bounded-tool.js';
import { requireServer } from './call-server-tool.js';
import { findTool, HiddenTools } from './find-tool.js';
import type { McpServer } from './mcp-server.js';
import { mountServerTools } from './mount-server-tools.js';
import { serverCalled } from './server-called.js';
import { ToolOwners } from './tool-owners.js';

export interface ServerOffer {
  server: McpServer;
  tools: readonly Tool[];
}

/** Puts the tools of servers before the model, of those that come up later too. Beyond what is shown, it has to look for them. */
export class OfferedTools {
  #mounts: Mounts;
  #shown: number;
  #offers: ServerOffer[] = [];
  #hidden: HiddenTools | null = null;
  readonly #owners: ToolOwners;

  /** `servers`: all of the session, in order: the first that has a name keeps it. */
  constructor(mounts: Mounts, shown: number, servers: readonly McpServer[]) {
    this.#mounts = mounts;
    this.#shown = shown;
    this.#owners = new ToolOwners(servers);
  }

  add(offers: readonly ServerOffer[]): void {
    this.#offers.push(...offers);
    const all = this.#offers.flatMap(({ tools }) => tools);
    const size = all.reduce((sum, tool) => sum + sizeOfTool(tool), 0);
    if (all.length > this.#shown || size > MCP_TOOLS_CHARACTERS)
      this.#hidden ??= new HiddenTools(this.#mounts);
    for (const { server, tools } of offers)
      mountServerTools(server, tools, { mounts: this.#mounts, hidden: this.#hidden, owners: this.#owners });
    // Each takes the place of the one that knew fewer servers.
    const mount = (tool: Tool) => this.#mounts.mount('tools', tool);
    const servers = this.#offers.map(({ server }) => server);
    if (this.#hidden)
      mount(
        findTool(
          this.#hidden,
          servers.map(({ name }) => name),
        ),
      );
    if (servers.some(({ offers }) => offers.resources)) mount(resourcesTool(servers));
    if (servers.some(({ offers }) => offers.prompts)) mount(promptsTool(servers));
  }
}

const PromptsInput = z.object({
  action: z.enum(['list', 'get']),
  server: z.string().describe('The name of the server'),
  name: z.string().optional().describe('The prompt to get'),
  arguments: z.record(z.string(), z.string()).default({}),
});

function promptsTool(servers: readonly McpServer[]): Tool {
  const offering = servers.filter(({ offers }) => offers.prompts);
  return defineTool({
    name: 'mcp_prompts',
    description: `List or fill in the prompts of MCP servers: ${offering.map(({ name }) => name).join(', ')}.`,
    input: PromptsInput,
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

const ResourcesInput = z.object({
  action: z.enum(['list', 'read']),
  server: z.string().describe('The name of the server'),
  uri: z.string().optional().describe('The resource to read'),
});

function resourcesTool(servers: readonly McpServer[]): Tool {
  const offering = servers.filter(({ offers }) => offers.resources);
  return defineTool({
    name: 'mcp_resources',
    description: `List or read the resources of MCP servers: ${offering.map(({ name }) => name).join(', ')}.`,
    input: ResourcesInput,
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
