import { close, fdatasync, fstat, fsync, open, read, readSync, type Stats, write, writeSync } from 'node:fs';
import { promisify } from 'node:util';

/**
 * File operations on bare descriptors. The promise-based handles of node cost a measurable part of an append, and warn
 * when one is collected unclosed; here whoever opens closes.
 */
export const openFd = promisify(open);
export const closeFd = promisify(close);
export const syncFd = promisify(fsync);
export const syncData = promisify(fdatasync);
const fstatFd: (fd: number) => Promise<Stats> = promisify(fstat);
const writeFd = promisify(write);
const readFd = promisify(read);

export function statFd(fd: number): Promise<Stats> {
  return fstatFd(fd);
}

/** Writes all of it at the end of a file opened for appending. A write may stop short of its end; then it goes on. */
export async function appendAll(fd: number, bytes: Buffer): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await writeFd(fd, bytes, done, bytes.length - done, null);
    done += bytesWritten;
  }
}

/**
 * Writes all of it at a place, or at the end when that is null, and returns how much it was. It waits for nothing but
 * memory: the disk comes into it when the file is flushed, and a trip through the thread pool costs ten times as much.
 */
export function writeAllAt(fd: number, bytes: Buffer, position: number | null): number {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(fd, bytes, done, bytes.length - done, position === null ? null : position + done);
  }
  return bytes.length;
}

/** So little is read at once by a plain call: it is nearly always in memory, and the thread pool costs more than the reading. */
const SMALL_READ_BYTES = 64 * 1024;

/** Reads `length` bytes at `position`; fewer when the file ends before. */
export async function readAt(fd: number, position: number, length: number): Promise<Buffer> {
  if (length <= SMALL_READ_BYTES) return readAtOnce(fd, position, length);
  const buffer = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await readFd(fd, buffer, done, length - done, position + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return buffer.subarray(0, done);
}

/** The same by plain calls. */
export function readAtOnce(fd: number, position: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const bytesRead = readSync(fd, buffer, done, length - done, position + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return buffer.subarray(0, done);
}

export async function withFd<T>(path: string, flags: string, work: (fd: number) => Promise<T>): Promise<T> {
  const fd = await openFd(path, flags);
  try {
    return await work(fd);
  } finally {
    await closeFd(fd);
  }
}
