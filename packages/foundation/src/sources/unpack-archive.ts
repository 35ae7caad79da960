import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pathWithin } from '../documents/confined-path.js';
import { FoundationError } from '../errors.js';
import { tooLarge } from './watch-size.js';

export interface UnpackLimits {
  source: string;
  /** All files together, unpacked. */
  maxBytes: number;
  /** Leading folders of a tar to leave away. */
  strip?: number;
}

/** Unpacks into `folder`. Names that lead out of it, links and devices are refused; a bomb stops at the limit. */
export async function unpackArchive(
  bytes: Uint8Array,
  kind: 'zip' | 'tar',
  folder: string,
  limits: UnpackLimits,
): Promise<void> {
  try {
    if (kind === 'zip') await unzip(bytes, folder, limits);
    else await untar(bytes, folder, limits);
  } catch (error) {
    if (error instanceof FoundationError) throw error;
    throw new FoundationError(
      `${limits.source} is not a usable ${kind} archive: ${(error as Error).message}. Check that the address leads to one.`,
      { code: 'SOURCE_FAILED', origin: limits.source, cause: error },
    );
  }
}

async function unzip(bytes: Uint8Array, folder: string, { source, maxBytes }: UnpackLimits): Promise<void> {
  const { unzipSync } = await import('fflate');
  let size = 0;
  const files = unzipSync(bytes, {
    filter({ name, originalSize }) {
      pathWithin(folder, name);
      size += originalSize;
      if (size > maxBytes) throw tooLarge(source, maxBytes);
      return !name.endsWith('/');
    },
  });
  for (const [name, content] of Object.entries(files)) {
    const path = pathWithin(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }
}

async function untar(
  bytes: Uint8Array,
  folder: string,
  { source, maxBytes, strip = 0 }: UnpackLimits,
): Promise<void> {
  const { extract } = await import('tar');
  let size = 0;
  let refused: FoundationError | null = null;
  const unpack = extract({
    cwd: folder,
    strict: true,
    preserveOwner: false,
    strip,
    filter(path, entry) {
      try {
        pathWithin(folder, path);
      } catch (error) {
        refused = error as FoundationError;
      }
      size += entry.size ?? 0;
      if (size > maxBytes) refused = tooLarge(source, maxBytes);
      return refused === null && 'type' in entry && (entry.type === 'File' || entry.type === 'Directory');
    },
  });
  await new Promise<void>((resolve, reject) => {
    unpack.on('error', reject).on('close', resolve);
    unpack.end(Buffer.from(bytes));
  });
  if (refused) throw refused;
}
