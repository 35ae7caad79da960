import { once } from 'node:events';
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createGunzip } from 'node:zlib';
import { MAX_SOURCE_FILES } from '../defaults.js';
import { pathWithin } from '../documents/confined-path.js';
import { FoundationError } from '../errors.js';
import { readZip } from './read-zip.js';
import { tooLarge } from './watch-size.js';

export interface UnpackLimits {
  source: string;
  /** All files together, unpacked. */
  maxBytes: number;
  /** Leading folders of a tar to leave away. */
  strip?: number;
}

/**
 * Unpacks into `folder`, piece by piece, so that an archive never takes more memory than itself and holds nobody up. Names that lead
 * out of it, links and devices are refused; a bomb stops at the limit, whatever it says of its own size.
 */
export async function unpackArchive(
  bytes: Uint8Array,
  kind: 'zip' | 'tar',
  folder: string,
  limits: UnpackLimits,
): Promise<void> {
  const archive = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    if (kind === 'zip') await unzip(archive, folder, new Budget(limits));
    else await untar(archive, folder, limits);
  } catch (error) {
    if (error instanceof FoundationError) throw error;
    throw new FoundationError(
      `${limits.source} is not a usable ${kind} archive: ${(error as Error).message}. Check that the address leads to one.`,
      { code: 'SOURCE_FAILED', origin: limits.source, cause: error },
    );
  }
}

/** What an archive may still unpack. */
class Budget {
  readonly #limits: UnpackLimits;
  #bytes = 0;
  #files = 0;

  constructor(limits: UnpackLimits) {
    this.#limits = limits;
  }

  takeBytes(count: number): void {
    this.#bytes += count;
    if (this.#bytes > this.#limits.maxBytes) throw tooLarge(this.#limits.source, this.#limits.maxBytes);
  }

  takeFile(): void {
    if (++this.#files <= MAX_SOURCE_FILES) return;
    const { source } = this.#limits;
    throw new FoundationError(
      `${source} holds more than ${MAX_SOURCE_FILES} files, which is more than a source may. Point to the part that is needed.`,
      { code: 'SOURCE_TOO_LARGE', origin: source },
    );
  }
}

async function unzip(bytes: Buffer, folder: string, budget: Budget): Promise<void> {
  for (const { name, content } of readZip(bytes)) {
    budget.takeFile();
    const path = pathWithin(folder, name);
    if (name.endsWith('/')) continue;
    await mkdir(dirname(path), { recursive: true });
    await using file = await open(path, 'w');
    for await (const piece of content()) {
      budget.takeBytes(piece.length);
      await file.write(piece);
    }
  }
}

async function untar(bytes: Buffer, folder: string, limits: UnpackLimits): Promise<void> {
  const { extract } = await import('tar');
  const budget = new Budget(limits);
  let refused: unknown = null;
  const unpack = extract({
    cwd: folder,
    strict: true,
    preserveOwner: false,
    strip: limits.strip ?? 0,
    filter(path, entry) {
      try {
        pathWithin(folder, path);
        budget.takeFile();
        budget.takeBytes(entry.size ?? 0);
      } catch (error) {
        refused ??= error;
      }
      return refused === null && 'type' in entry && (entry.type === 'File' || entry.type === 'Directory');
    },
  });
  const closed = once(unpack, 'close');
  // A failure is heard of by whoever waits next; it may come before anybody does.
  closed.catch(() => {});
  let isOver = false;
  unpack.once('eof', () => {
    isOver = true;
  });
  // Headers, padding and what belongs to no file are bytes, too.
  const raw = new Budget({ ...limits, maxBytes: 2 * limits.maxBytes });
  for await (const piece of tarBytes(bytes)) {
    // What follows the end is kept and never looked at, so it is not handed over.
    if (isOver) break;
    raw.takeBytes(piece.length);
    const hasRoom = unpack.write(piece);
    if (refused !== null) throw refused;
    if (!hasRoom) await Promise.race([once(unpack, 'drain'), closed]);
  }
  unpack.end();
  await closed;
  if (refused !== null) throw refused;
}

/** Unpacked where it is packed, and in pieces either way. */
async function* tarBytes(bytes: Buffer): AsyncGenerator<Buffer> {
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
  if (!isPacked) {
    for (let at = 0; at < bytes.length; at += TAR_PIECE_BYTES) yield bytes.subarray(at, at + TAR_PIECE_BYTES);
    return;
  }
  const stream = createGunzip();
  stream.end(bytes);
  yield* stream;
}

const TAR_PIECE_BYTES = 64 * 1024;
