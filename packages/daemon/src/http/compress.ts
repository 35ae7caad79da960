import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import { type Pieces, sizeOf } from '../byte-cache.js';
import { GZIP_MIN_BYTES } from '../defaults.js';

const gzipAsync = promisify(gzip);

/** The body as gzip when the client takes that and it is worth it, else as it was. Fast rather than small: most are near. */
export async function gzipBody<T extends string | Pieces>(
  body: T,
  accept_encoding: string | string[] | undefined,
): Promise<T | Uint8Array<ArrayBuffer>> {
  const size = typeof body === 'string' ? body.length : sizeOf(body);
  if (size < GZIP_MIN_BYTES || !acceptsGzip(String(accept_encoding ?? ''))) return body;
  const bytes = typeof body === 'string' ? body : Buffer.concat(body);
  return (await gzipAsync(bytes, { level: constants.Z_BEST_SPEED })) as Uint8Array<ArrayBuffer>;
}

function acceptsGzip(header: string): boolean {
  return header.split(',').some((each) => /^\s*(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*$).*)?$/i.test(each));
}
