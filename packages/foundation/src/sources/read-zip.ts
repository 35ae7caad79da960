import { crc32, createInflateRaw } from 'node:zlib';

/** One file of a zip archive. */
export interface ZipEntry {
  name: string;
  /** Its content, unpacked piece by piece as it is asked for. Ends with an error where it is not what the archive says. */
  content(): AsyncGenerator<Buffer>;
}

const END = 0x06054b50;
const END_BYTES = 22;
const MAX_COMMENT_BYTES = 0xffff;
const LISTED = 0x02014b50;
const LISTED_BYTES = 46;
const LOCAL = 0x04034b50;
const LOCAL_BYTES = 30;
const STORED = 0;
const DEFLATED = 8;
const ENCRYPTED = 1;

/**
 * The files that the list at the end of an archive names; nothing is unpacked before it is asked for. Throws where the bytes are no such
 * list. Sizes that need more than 32 bits are not read: no source may be that large.
 */
export function* readZip(bytes: Buffer): Generator<ZipEntry> {
  const end = findEnd(bytes);
  const count = bytes.readUInt16LE(end + 10);
  let at = bytes.readUInt32LE(end + 16);
  for (let index = 0; index < count; index++) {
    if (bytes.readUInt32LE(at) !== LISTED) throw new Error('its list of files is damaged');
    const nameEnd = at + LISTED_BYTES + bytes.readUInt16LE(at + 28);
    const name = bytes.toString('utf8', at + LISTED_BYTES, nameEnd);
    const listed: Listed = {
      name,
      flags: bytes.readUInt16LE(at + 8),
      method: bytes.readUInt16LE(at + 10),
      crc: bytes.readUInt32LE(at + 16),
      packed: bytes.readUInt32LE(at + 20),
      offset: bytes.readUInt32LE(at + 42),
    };
    yield { name, content: () => contentOf(bytes, listed) };
    at = nameEnd + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
}

interface Listed {
  name: string;
  flags: number;
  method: number;
  crc: number;
  packed: number;
  offset: number;
}

function findEnd(bytes: Buffer): number {
  const first = Math.max(0, bytes.length - END_BYTES - MAX_COMMENT_BYTES);
  for (let at = bytes.length - END_BYTES; at >= first; at--) if (bytes.readUInt32LE(at) === END) return at;
  throw new Error('it has no list of files');
}

async function* contentOf(bytes: Buffer, listed: Listed): AsyncGenerator<Buffer> {
  const { name, flags, method, crc, packed, offset } = listed;
  if (flags & ENCRYPTED) throw new Error(`'${name}' is encrypted`);
  if (method !== STORED && method !== DEFLATED)
    throw new Error(`'${name}' is packed in a way that is not known`);
  if (bytes.readUInt32LE(offset) !== LOCAL) throw new Error(`'${name}' is not where its list says`);
  const start = offset + LOCAL_BYTES + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28);
  const data = bytes.subarray(start, start + packed);
  let sum = 0;
  for await (const piece of method === STORED ? [data] : inflate(data)) {
    sum = crc32(piece, sum);
    yield piece;
  }
  if (sum !== crc) throw new Error(`'${name}' is damaged`);
}

async function* inflate(data: Buffer): AsyncGenerator<Buffer> {
  const stream = createInflateRaw();
  stream.end(data);
  yield* stream;
}
