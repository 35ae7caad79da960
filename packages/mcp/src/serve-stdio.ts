import type { Readable, Writable } from 'node:stream';
import { claimStdout, errorInfo } from '@amplifier/host';
import { serverFactory } from './build-server.js';
import { McpService, type ServiceOptions } from './service.js';
import { refuseReusedIds } from './wire/ids-in-flight.js';

export interface ServeOptions extends ServiceOptions {
  version: string;
  /** Ends the server; what runs is cut off and can be continued. */
  signal?: AbortSignal;
  /** Where the client is, in place of standard input and output. */
  streams?: { input: Readable; output: Writable };
}

/** Serves one client over standard input and output until it leaves or the signal aborts. */
export async function serveStdio({ version, signal, streams, ...options }: ServeOptions): Promise<void> {
  const { serveStdio: serve, StdioServerTransport } = await import('@modelcontextprotocol/server/stdio');
  await using service = new McpService(options);
  const { input, output } = streams ?? { input: process.stdin, output: claimStdout() };
  const transport = refuseReusedIds(new StdioServerTransport(input, output));
  const left = new Promise<void>((resolve) => {
    input.once('close', resolve).once('end', resolve);
    signal?.addEventListener('abort', () => resolve(), { once: true });
    if (signal?.aborted) resolve();
  });
  const handle = serve(serverFactory(service, { honours_trust: true, version }), {
    transport,
    onerror: (error) =>
      service.report({ level: 'warning', code: 'MCP_TRANSPORT', message: errorInfo(error).message, error }),
  });
  await left;
  await service.close();
  await handle.close();
}
