import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import { type Pieces, sizeOf } from '../byte-cache.js';
import { GZIP_MIN_BYTES } from '../defaults.js';

const gzipAsync = promisify(gzip);

/** The body as gzip when the client takes that and it is worth it, else null. Fast rather than small: most are near. */
export async function gzipBody(
  body: string | Pieces,
  accept_encoding: string | undefined,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const size = typeof body === 'string' ? body.length : sizeOf(body);
  if (size < GZIP_MIN_BYTES || !acceptsGzip(accept_encoding)) return null;
  const whole = typeof body === 'string' ? body : Buffer.concat(body);
  return (await gzipAsync(whole, { level: constants.Z_BEST_SPEED })) as Uint8Array<ArrayBuffer>;
}

function acceptsGzip(header: string | undefined): boolean {
  return (
    header?.split(',').some((each) => /^\s*(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*$).*)?$/i.test(each)) ??
    false
  );
}
