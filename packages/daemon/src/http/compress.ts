import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import { type Pieces, sizeOf } from '../byte-cache.js';
import { GZIP_MIN_BYTES } from '../defaults.js';

const gzipAsync = promisify(gzip);
const known = new WeakMap<Pieces, Promise<Uint8Array<ArrayBuffer>>>();

/** Does the client take gzip, and is there enough to pack? The library would pack each answer anew, as a stream. */
export function isWorthGzip(body: string | Pieces, accept_encoding: string | string[] | undefined): boolean {
  if (typeof accept_encoding !== 'string') return false;
  const size = typeof body === 'string' ? body.length : sizeOf(body);
  return size >= GZIP_MIN_BYTES && acceptsGzip(accept_encoding);
}

/** Fast rather than small: most clients are near. Pieces that somebody keeps are packed once for as long as they are kept. */
export function packed(body: string | Pieces): Promise<Uint8Array<ArrayBuffer>> {
  if (typeof body === 'string') return pack(body);
  const made = known.get(body) ?? pack(Buffer.concat(body));
  known.set(body, made);
  return made;
}

async function pack(whole: string | Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  return (await gzipAsync(whole, { level: constants.Z_BEST_SPEED })) as Uint8Array<ArrayBuffer>;
}

function acceptsGzip(header: string): boolean {
  return header.split(',').some((each) => /^\s*(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*$).*)?$/i.test(each));
}
