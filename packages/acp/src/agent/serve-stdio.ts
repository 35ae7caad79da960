import { Readable, Writable } from 'node:stream';
import type { AcpAgent } from './acp-agent.js';

export interface ServeOptions {
  /** Where the protocol goes. Whoever serves sees to it that nothing else does. Default: standard output. */
  output?: Writable;
  /** Ends the service as if the editor had gone. */
  signal?: AbortSignal;
}

/** Serves an editor on standard input and output until it closes them. */
export async function serveStdio(agent: AcpAgent, options: ServeOptions = {}): Promise<void> {
  const { ndJsonStream } = await import('@agentclientprotocol/sdk');
  const output = Writable.toWeb(options.output ?? process.stdout) as WritableStream<Uint8Array>;
  const input = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;
  await agent.connect(ndJsonStream(output, input), options.signal);
}
