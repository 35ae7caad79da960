import { setTimeout as pause } from 'node:timers/promises';
import { BUSY_PATIENCE_MS, BUSY_RETRY_MS } from '../defaults.js';
import { SessionError, type SessionErrorCode } from '../session-error.js';

/** By the primary result code of SQLite. What is not here is `STORAGE_FAILED`. */
const CODES: Record<number, [code: SessionErrorCode, advice: string]> = {
  3: ['STORAGE_DENIED', 'Give yourself the right to read and write it and its folder.'],
  8: ['STORAGE_DENIED', 'Make the file and its folder writable.'],
  11: ['SESSION_CORRUPT', 'Run `amplifier record verify`, or restore a backup.'],
  13: ['STORAGE_FULL', 'There is no space left on device. Free some space; everything before is safe.'],
  14: ['STORAGE_DENIED', 'See that its folder is there and may be written.'],
  26: ['SESSION_CORRUPT', 'It is no database. Restore a backup, or move it away.'],
};

/** What SQLite calls them: `all` of the package for Node 20 has nothing but these words. */
const WORDS: Record<string, number> = {
  'database is locked': 5,
  'database table is locked': 6,
  'attempt to write a readonly database': 8,
  'disk I/O error': 10,
  'database disk image is malformed': 11,
  'database or disk is full': 13,
  'unable to open database file': 14,
  'file is not a database': 26,
};

function primaryCode(error: unknown): number | null {
  const { errcode, code, message } = (error ?? {}) as Error & { errcode?: number; code?: string };
  if (typeof errcode === 'number') return errcode & 0xff;
  return code === 'ERR_SQLITE_ERROR' ? (WORDS[message] ?? 1) : null;
}

/** Another process is writing at this very moment: the database, or one of its tables, is locked. */
export function isBusy(error: unknown): boolean {
  const code = primaryCode(error);
  return code === 5 || code === 6;
}

/** What SQLite or the file system said, as an error of the record. Errors of ours pass as they are. */
export function storageError(cause: unknown, name: string): unknown {
  const errcode = primaryCode(cause);
  if (errcode === null) return fileError(cause, name);
  if (isBusy(cause)) {
    const message = `Another process has kept the record ${name} locked for too long. See what it is doing, then try again.`;
    return new SessionError(message, { code: 'STORAGE_FAILED', origin: name, retryable: true, cause });
  }
  const [code, advice] = CODES[errcode] ?? ['STORAGE_FAILED', 'Look at the disk, then try again.'];
  const message = `The record ${name} cannot be used: ${(cause as Error).message}. ${advice}`;
  return new SessionError(message, { code, origin: name, cause });
}

const DENIED = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EISDIR']);
const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

function fileError(cause: unknown, name: string): unknown {
  const { code, message, path = name } = (cause ?? {}) as NodeJS.ErrnoException;
  if (typeof code !== 'string' || !/^E[A-Z]+$/.test(code)) return cause;
  const kind = FULL.has(code) ? 'STORAGE_FULL' : DENIED.has(code) ? 'STORAGE_DENIED' : 'STORAGE_FAILED';
  const details = { code: kind, origin: path, cause } as const;
  return new SessionError(`The record ${name} cannot be used: ${message}.`, details);
}

/** Tries again while another process is in the way, without holding up this one. */
export async function patiently<T>(work: () => T): Promise<T> {
  for (const started = Date.now(); ; ) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || Date.now() - started > BUSY_PATIENCE_MS) throw error;
      await pause(BUSY_RETRY_MS);
    }
  }
}
