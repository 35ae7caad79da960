import { type AmplifierModule, errorInfo, type JsonObject, KernelError, sleep } from '@amplifier/core';
import { readConfig } from '../../read-config.js';
import { McpConfig } from './mcp-config.js';
import { McpServer } from './mcp-server.js';
import { serverTools } from './mount-server-tools.js';
import { OfferedTools, type ServerOffer } from './offered-tools.js';

/**
 * The tools of MCP servers as tools of the session, named `mcp_<server>_<tool>`; their resources and prompts through
 * `mcp_resources` and `mcp_prompts`. A server that cannot be reached is reported and left out, unless it is required: then the
 * session does not begin. All are asked side by side; one that takes long is used once it is up.
 */
const module: AmplifierModule = {
  async mount(coordinator, config: JsonObject) {
    const { servers: configured, tools_shown } = readConfig('tool-mcp', McpConfig, config);
    const servers = Object.entries(configured).map(
      ([name, server]) => new McpServer(name, server, coordinator),
    );
    const offered = new OfferedTools(coordinator.mounts, tools_shown, servers);
    let isClosed = false;
    const close = async () => {
      isClosed = true;
      await Promise.all(servers.map((server) => server.close()));
    };
    try {
      const offers = await Promise.all(servers.map(offerInTime));
      offered.add(offers.flatMap((offer) => offer ?? []));
    } catch (error) {
      await close();
      throw error;
    }
    return close;

    /** What it offers, or null where one server cannot be used: the others can. */
    async function offerInTime(server: McpServer): Promise<ServerOffer | null> {
      const asked = serverTools(server).then((tools) => ({ server, tools }));
      const over = new AbortController();
      try {
        const offer = await Promise.race([asked, patience(server, over.signal)]);
        if (offer) return offer;
      } catch (error) {
        if (server.config.required)
          throw new KernelError(
            `The session needs the MCP server '${server.name}': ${errorInfo(error).message} See: amplifier mcp-server test ${server.name}`,
            { code: 'MODULE_REQUIRED', origin: 'tool-mcp', cause: error },
          );
        const message = `The MCP server '${server.name}' is left out: ${errorInfo(error).message}`;
        coordinator.report({ ...UNAVAILABLE, message, module_id: 'tool-mcp', error });
        return null;
      } finally {
        over.abort();
      }
      server.isSlow = true;
      const message = `The MCP server '${server.name}' is left out: it has not answered yet. Its tools can be used once it does. See: amplifier mcp-server test ${server.name}`;
      coordinator.report({ ...UNAVAILABLE, message, module_id: 'tool-mcp' });
      void addLater(server, asked);
      return null;
    }

    /** Null once a session has waited long enough; never for a server that it cannot do without. */
    function patience(server: McpServer, over: AbortSignal): Promise<null> {
      const { required, start_wait_ms } = server.config;
      if (required) return new Promise(() => {});
      return sleep(coordinator.clock, server.isSlow ? 0 : start_wait_ms, over).then(() => null);
    }

    /** Whoever watches was told that it is missing; why is for those who look closer. */
    async function addLater(server: McpServer, asked: Promise<ServerOffer>): Promise<void> {
      try {
        const offer = await asked;
        server.isSlow = false;
        if (!isClosed) offered.add([offer]);
      } catch (error) {
        if (!isClosed) coordinator.report({ ...UNAVAILABLE, message: errorInfo(error).message, error });
      }
    }
  },
};
export default module;

const UNAVAILABLE = { level: 'warning', code: 'MCP_SERVER_UNAVAILABLE' } as const;
