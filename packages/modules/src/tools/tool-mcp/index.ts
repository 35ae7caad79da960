import { type AmplifierModule, errorInfo, type JsonObject } from '@amplifier/core';
import { readConfig } from '../../read-config.js';
import { McpConfig } from './mcp-config.js';
import { McpServer } from './mcp-server.js';
import { mountServerTools } from './mount-server-tools.js';
import { promptsTool } from './prompts-tool.js';
import { resourcesTool } from './resources-tool.js';

/**
 * The tools of MCP servers as tools of the session, named `mcp_<server>_<tool>`; their resources and prompts through
 * `mcp_resources` and `mcp_prompts`. A server that cannot be reached is reported and left out.
 */
const module: AmplifierModule = {
  async mount(coordinator, config: JsonObject) {
    const { servers: configured } = readConfig('tool-mcp', McpConfig, config);
    const servers = Object.entries(configured).map(
      ([name, server]) => new McpServer(name, server, coordinator),
    );
    const connected = await Promise.all(servers.map((server) => connect(server)));
    const usable = servers.filter((_, index) => connected[index]);
    for (const server of usable) await mountServerTools(server, coordinator.mounts);
    if (usable.some(({ offers }) => offers.resources))
      coordinator.mounts.mount('tools', resourcesTool(usable));
    if (usable.some(({ offers }) => offers.prompts)) coordinator.mounts.mount('tools', promptsTool(usable));
    return async () => {
      await Promise.all(servers.map((server) => server.close()));
    };

    async function connect(server: McpServer): Promise<boolean> {
      try {
        await server.client();
        return true;
      } catch (error) {
        const message = `The MCP server '${server.name}' is left out: ${errorInfo(error).message}`;
        coordinator.report({
          level: 'warning',
          code: 'MCP_SERVER_UNAVAILABLE',
          message,
          module_id: 'tool-mcp',
          error,
        });
        return false;
      }
    }
  },
};
export default module;
