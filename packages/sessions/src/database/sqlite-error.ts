import type { SessionErrorCode } from '../error-codes.js';
import { SessionError } from '../session-error.js';

interface SqliteError extends Error {
  errcode?: number;
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

function primaryCode(error: unknown): number | null {
  const { errcode } = (error ?? {}) as SqliteError;
  return typeof errcode === 'number' ? errcode & 0xff : null;
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
