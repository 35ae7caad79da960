import { Readable, Writable } from 'node:stream';
import type { AcpDoor } from './acp-door.js';

/** Serves an editor on standard input and output until it closes them. Nothing else may be written to standard output. */
export async function serveStdio(door: AcpDoor): Promise<void> {
  const { ndJsonStream } = await import('@agentclientprotocol/sdk');
  const output = Writable.toWeb(process.stdout) as WritableStream<Uint8Array>;
  const input = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;
  await door.connect(ndJsonStream(output, input));
}
