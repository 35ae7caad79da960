import type { Mounts, Tool } from '@amplifier/core';
import { z } from 'zod';
import { MCP_TOOLS_FOUND } from '../defaults.js';
import { defineTool } from '../define-tool.js';

const Input = z.object({
  query: z.string().min(1).describe('Words for what is to be done, or the name of a tool'),
});

/** The tools of all servers, of which the model is shown only those it looked for. */
export class HiddenTools {
  readonly #mounts: Mounts;
  readonly #hidden = new Map<string, Tool>();

  constructor(mounts: Mounts) {
    this.#mounts = mounts;
  }

  get size(): number {
    return this.#hidden.size;
  }

  add(tool: Tool): void {
    this.#hidden.set(tool.name, tool);
  }

  /** It is gone from its server. */
  remove(name: string): void {
    this.#hidden.delete(name);
    if (this.#mounts.all('tools').has(name)) this.#mounts.unmount('tools', name);
  }

  /** Offers from now on the tools that fit best, and says which. */
  load(query: string): Tool[] {
    const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
    const found = [...this.#hidden.values()]
      .map((tool) => ({ tool, fit: fitOf(tool, words) }))
      .filter(({ fit }) => fit > 0)
      .sort((a, b) => b.fit - a.fit || (a.tool.name < b.tool.name ? -1 : 1))
      .slice(0, MCP_TOOLS_FOUND)
      .map(({ tool }) => tool);
    for (const tool of found)
      if (!this.#mounts.all('tools').has(tool.name)) this.#mounts.mount('tools', tool);
    return found;
  }
}

/** A word in the name counts more than one in the description. */
function fitOf({ name, description }: Tool, words: readonly string[]): number {
  const [inName, inText] = [name.toLowerCase(), description.toLowerCase()];
  return words.reduce(
    (fit, word) => fit + (inName.includes(word) ? 3 : 0) + (inText.includes(word) ? 1 : 0),
    0,
  );
}

/** `mcp_find_tools`: with hundreds of tools, the model is given those it asks for. */
export function findTool(hidden: HiddenTools, servers: readonly string[]): Tool {
  return defineTool({
    name: 'mcp_find_tools',
    description: `Find tools of the MCP servers ${servers.join(', ')} (${hidden.size} tools). What is found can be called from then on.`,
    input: Input,
    run: async ({ query }) => {
      const found = hidden.load(query);
      return {
        tools: found.map(({ name, description }) => ({ name, description })),
        ...(found.length === 0
          ? { hint: 'Nothing fits. Use other words, such as the name of a server.' }
          : {}),
      };
    },
  });
}
