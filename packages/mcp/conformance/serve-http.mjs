// Serves MCP over HTTP on loopback, offline, for the conformance suite and the inspector. Prints its address.
import { createServer } from 'node:http';
import { httpHandler, McpService } from '@amplifier/mcp';
import { toNodeHandler } from '@modelcontextprotocol/node';

const [cwd = process.cwd()] = process.argv.slice(2);
const service = new McpService({ cwd, offline: true });
const server = createServer(toNodeHandler(httpHandler(service, { version: '0.1.0', token: null })));
server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}/mcp\n`));
