import type { Tool } from '@amplifier/core';
import type { McpServer } from './mcp-server.js';

/** Names of our own tools, which no server takes. */
const RESERVED: ReadonlySet<string> = new Set(['mcp_find_tools', 'mcp_resources', 'mcp_prompts']);

/**
 * Which server each tool name belongs to. Two servers can have one joined name (`db` with `q_run`, `db_q` with `run`): the server that
 * is configured first keeps it, whichever answers first.
 */
export class ToolOwners {
  readonly #order: readonly McpServer[];
  readonly #owners = new Map<string, McpServer>();

  constructor(order: readonly McpServer[]) {
    this.#order = order;
  }

  /** The tools whose names are the server's from now on. The others are reported. */
  claim(server: McpServer, tools: readonly Tool[]): Tool[] {
    return tools.filter(({ name }) => {
      if (RESERVED.has(name)) {
        server.reportReserved(name);
        return false;
      }
      const owner = this.#owners.get(name);
      const isFirst = !owner || this.#order.indexOf(server) <= this.#order.indexOf(owner);
      if (owner && owner !== server) server.reportTaken(name, owner.name, isFirst ? server.name : owner.name);
      if (isFirst) this.#owners.set(name, server);
      return isFirst;
    });
  }

  /** True if the name was the server's. */
  release(server: McpServer, name: string): boolean {
    return this.#owners.get(name) === server && this.#owners.delete(name);
  }
}
