import { type AmplifierModule, errorInfo, type JsonObject, KernelError, type Tool } from '@amplifier/core';
import { readConfig } from '../../read-config.js';
import { MCP_TOOLS_CHARACTERS } from '../defaults.js';
import { sizeOfTool } from './bounded-tool.js';
import { findTool, HiddenTools } from './find-tool.js';
import { McpConfig } from './mcp-config.js';
import { McpServer } from './mcp-server.js';
import { mountServerTools, serverTools } from './mount-server-tools.js';
import { promptsTool } from './prompts-tool.js';
import { resourcesTool } from './resources-tool.js';

/**
 * The tools of MCP servers as tools of the session, named `mcp_<server>_<tool>`; their resources and prompts through
 * `mcp_resources` and `mcp_prompts`. A server that cannot be reached is reported and left out, unless it is required: then the
 * session does not begin.
 */
const module: AmplifierModule = {
  async mount(coordinator, config: JsonObject) {
    const { servers: configured, tools_shown } = readConfig('tool-mcp', McpConfig, config);
    const servers = Object.entries(configured).map(
      ([name, server]) => new McpServer(name, server, coordinator),
    );
    const offers = await Promise.all(
      servers.map(async (server) => ({ server, tools: await connect(server) })),
    );
    const connected = offers.flatMap(({ server, tools }) => (tools === null ? [] : [{ server, tools }]));
    const usable = connected.map(({ server }) => server);
    const all = connected.flatMap(({ tools }) => tools);
    const size = all.reduce((sum, tool) => sum + sizeOfTool(tool), 0);
    const isTooMuch = all.length > tools_shown || size > MCP_TOOLS_CHARACTERS;
    const hidden = isTooMuch ? new HiddenTools(coordinator.mounts) : null;
    for (const { server, tools } of connected) mountServerTools(server, tools, coordinator.mounts, hidden);
    if (hidden) {
      const tool = findTool(
        hidden,
        usable.map(({ name }) => name),
      );
      coordinator.mounts.mount('tools', tool);
    }
    if (usable.some(({ offers }) => offers.resources))
      coordinator.mounts.mount('tools', resourcesTool(usable));
    if (usable.some(({ offers }) => offers.prompts)) coordinator.mounts.mount('tools', promptsTool(usable));
    return async () => {
      await Promise.all(servers.map((server) => server.close()));
    };

    /** Its tools, or null where one server cannot be used: the others can. */
    async function connect(server: McpServer): Promise<Tool[] | null> {
      try {
        return await serverTools(server);
      } catch (error) {
        if (server.config.required)
          throw new KernelError(
            `The session needs the MCP server '${server.name}': ${errorInfo(error).message} See: amplifier mcp-server test ${server.name}`,
            { code: 'MODULE_REQUIRED', origin: 'tool-mcp', cause: error },
          );
        const message = `The MCP server '${server.name}' is left out: ${errorInfo(error).message}`;
        coordinator.report({
          level: 'warning',
          code: 'MCP_SERVER_UNAVAILABLE',
          message,
          module_id: 'tool-mcp',
          error,
        });
        return null;
      }
    }
  },
};
export default module;
