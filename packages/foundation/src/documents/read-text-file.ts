import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { MAX_DOCUMENT_BYTES } from '../defaults.js';
import { FoundationError, type FoundationErrorCode } from '../errors.js';

/**
 * Reads a UTF-8 file of bounded size. Every failure is a `FoundationError` that names the file. A device or a pipe is none:
 * it is not waited for, and not read.
 */
export async function readTextFile(
  path: string,
  maxBytes = MAX_DOCUMENT_BYTES,
  openFile: (path: string) => Promise<FileHandle> = openWithoutWaiting,
): Promise<string> {
  try {
    await using file = await openFile(path);
    const found = await file.stat();
    if (found.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' });
    if (!found.isFile()) throw noFile(path);
    if (found.size > maxBytes) throw tooLarge(path, found.size, maxBytes);
    const bytes = await bytesOf(file, path, found.size, maxBytes);
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw fileError(error, path);
  }
}

/** Opening a pipe must not wait for whoever is at its other end. */
function openWithoutWaiting(path: string): Promise<FileHandle> {
  return open(path, constants.O_RDONLY | constants.O_NONBLOCK);
}

/** Some files do not know their size before they are read. A stream would take longer than the reading of a small file. */
async function bytesOf(file: FileHandle, path: string, size: number, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for (let length = 0; ; ) {
    const buffer = Buffer.allocUnsafe(Math.max(size - length, 4096));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, null);
    if (bytesRead === 0) return Buffer.concat(chunks);
    chunks.push(buffer.subarray(0, bytesRead));
    length += bytesRead;
    if (length > maxBytes) throw tooLarge(path, length, maxBytes);
  }
}

function noFile(path: string): FoundationError {
  return new FoundationError('This is a device, a pipe or a socket where a file is wanted.', {
    code: 'FILE_UNREADABLE',
    place: { file: path },
  });
}

const FILE_PROBLEMS: Record<string, [FoundationErrorCode, string]> = {
  ENOENT: ['FILE_NOT_FOUND', 'There is no such file. Check the path.'],
  ENOTDIR: ['FILE_NOT_FOUND', 'A part of the path is a file, not a folder. Check the path.'],
  ELOOP: ['SYMLINK_LOOP', 'The symbolic link leads back to itself. Remove it or point it at a file.'],
  EISDIR: ['FILE_UNREADABLE', 'This is a folder where a file is wanted.'],
  EACCES: ['FILE_UNREADABLE', 'The file may not be read. Check its permissions.'],
  EPERM: ['FILE_UNREADABLE', 'The file may not be read. Check its permissions.'],
  ERR_ENCODING_INVALID_ENCODED_DATA: ['NOT_TEXT', 'The file is not UTF-8 text. Save it as UTF-8.'],
};

/** What the operating system says, as an error that names the file and what to do. */
export function fileError(error: unknown, path: string): FoundationError {
  if (error instanceof FoundationError) return error;
  const system = (error as NodeJS.ErrnoException).code ?? '';
  const [code, message] = FILE_PROBLEMS[system] ?? [
    'FILE_UNREADABLE',
    `The file cannot be read: ${(error as Error).message}`,
  ];
  return new FoundationError(message, { code, place: { file: path }, cause: error });
}

function tooLarge(path: string, size: number, maxBytes: number): FoundationError {
  return new FoundationError(
    `The file has ${megabytes(size)} MB; at most ${megabytes(maxBytes)} MB are read here. Is it the right file?`,
    { code: 'FILE_TOO_LARGE', place: { file: path } },
  );
}

function megabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1);
}
