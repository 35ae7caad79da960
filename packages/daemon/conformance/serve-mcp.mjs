// Serves a daemon on loopback for the MCP conformance suite, and before it something that adds the daemon's token, because the
// suite knows none. Everything else goes through as it came. Prints the address of /mcp.
import { createServer, request } from 'node:http';
import { startDaemon } from '@amplifier/daemon';

const [cwd = process.cwd()] = process.argv.slice(2);
const daemon = await startDaemon({ cwd, flags: { port: 0, log_level: 'silent' } });
const { port } = new URL(daemon.url);
const front = createServer((incoming, outgoing) => {
  const headers = { ...incoming.headers, authorization: `Bearer ${daemon.token}` };
  const { method, url: path } = incoming;
  const passed = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode, answer.headers);
    answer.pipe(outgoing);
  });
  passed.on('error', () => outgoing.destroy());
  outgoing.on('close', () => passed.destroy());
  incoming.pipe(passed);
});
front.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${front.address().port}/mcp\n`));
