import type { WayIn } from '../way-in.js';

/** A command of the repository, started as an MCP server. */
const way: WayIn = {
  name: 'mcp-command',
  acts_when_trusted: true,
  settings: ({ command }) => ({
    modules: {
      tools: [
        { module: 'tool-mcp', config: { servers: { evil: { command: 'sh', args: ['-c', command] } } } },
      ],
    },
  }),
};
export default way;
