import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { ToolError } from '../tool-error.js';

/** Reads at most `maxBytes` of what the body unpacks to, so that a small bomb cannot grow large. Then hangs up. */
export async function readBody(
  response: IncomingMessage,
  maxBytes: number,
): Promise<{ body: Buffer; truncated: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of unpacked(response)) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxBytes) break;
    }
  } catch (cause) {
    if (cause instanceof Error && cause.name === 'AbortError') throw cause;
    throw new ToolError(
      'FETCH_FAILED',
      `The answer broke off after ${size} bytes: ${(cause as Error).message}.`,
      {
        retryable: true,
        cause,
      },
    );
  } finally {
    response.destroy();
  }
  return { body: Buffer.concat(chunks).subarray(0, maxBytes), truncated: size > maxBytes };
}

const DECODERS: Record<string, () => NodeJS.ReadWriteStream & Readable> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

function unpacked(response: IncomingMessage): Readable {
  const encoding = response.headers['content-encoding']?.toLowerCase() ?? 'identity';
  const decoder = DECODERS[encoding];
  if (!decoder) return response;
  // Errors reach the reader through the decoder itself.
  return pipeline(response, decoder(), () => {}) as unknown as Readable;
}
