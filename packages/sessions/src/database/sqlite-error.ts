import { setTimeout as pause } from 'node:timers/promises';
import { BUSY_PATIENCE_MS, BUSY_RETRY_MS } from '../defaults.js';
import { SessionError, type SessionErrorCode } from '../session-error.js';

interface SqliteError extends Error {
  errcode?: number;
  code?: string;
}

const BUSY = 5;
const LOCKED = 6;

/** By the primary result code of SQLite. What is not here is `STORAGE_FAILED`. */
const CODES: Record<number, { code: SessionErrorCode; advice: string }> = {
  3: { code: 'STORAGE_DENIED', advice: 'Give yourself the right to read and write it and its folder.' },
  8: { code: 'STORAGE_DENIED', advice: 'Make the file and its folder writable.' },
  11: { code: 'SESSION_CORRUPT', advice: 'Run `amplifier record verify`, or restore a backup.' },
  13: {
    code: 'STORAGE_FULL',
    advice: 'There is no space left on device. Free some space; everything before is safe.',
  },
  14: { code: 'STORAGE_DENIED', advice: 'See that its folder is there and may be written.' },
  26: { code: 'SESSION_CORRUPT', advice: 'It is no database. Restore a backup, or move it away.' },
};

/** What SQLite calls them: `all` of the package for Node 20 has nothing but these words. */
const WORDS: Record<string, number> = {
  'database is locked': BUSY,
  'database table is locked': LOCKED,
  'attempt to write a readonly database': 8,
  'disk I/O error': 10,
  'database disk image is malformed': 11,
  'database or disk is full': 13,
  'unable to open database file': 14,
  'file is not a database': 26,
};

function primaryCode(error: unknown): number | null {
  const { errcode, code, message } = (error ?? {}) as SqliteError;
  if (typeof errcode === 'number') return errcode & 0xff;
  return code === 'ERR_SQLITE_ERROR' ? (WORDS[message] ?? 1) : null;
}

/** Another process is writing at this very moment. */
export function isBusy(error: unknown): boolean {
  const code = primaryCode(error);
  return code === BUSY || code === LOCKED;
}

/** What SQLite said, as an error of the record. Errors of ours pass as they are. */
export function storageError(cause: unknown, name: string): unknown {
  const errcode = primaryCode(cause);
  if (errcode === null) return cause;
  const said = (cause as Error).message;
  if (isBusy(cause)) {
    return new SessionError(
      `Another process has kept the record ${name} locked for too long. See what it is doing, then try again.`,
      { code: 'STORAGE_FAILED', origin: name, retryable: true, cause },
    );
  }
  const { code, advice } = CODES[errcode] ?? {
    code: 'STORAGE_FAILED' as const,
    advice: 'Look at the disk, then try again.',
  };
  return new SessionError(`The record ${name} cannot be used: ${said}. ${advice}`, {
    code,
    origin: name,
    cause,
  });
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
