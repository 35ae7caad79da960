import type { Mounts, Tool } from '@amplifier/core';
import { MCP_TOOLS_CHARACTERS } from '../defaults.js';
import { sizeOfTool } from './bounded-tool.js';
import { findTool, HiddenTools } from './find-tool.js';
import type { McpServer } from './mcp-server.js';
import { mountServerTools } from './mount-server-tools.js';
import { promptsTool } from './prompts-tool.js';
import { resourcesTool } from './resources-tool.js';
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
