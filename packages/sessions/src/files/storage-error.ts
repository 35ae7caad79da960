import type { SessionErrorCode } from '../error-codes.js';
import { SessionError } from '../session-error.js';

const CODES: Record<string, SessionErrorCode> = {
  ENOSPC: 'STORAGE_FULL',
  EDQUOT: 'STORAGE_FULL',
  EFBIG: 'STORAGE_FULL',
  EACCES: 'STORAGE_DENIED',
  EPERM: 'STORAGE_DENIED',
  EROFS: 'STORAGE_DENIED',
};

const ADVICE: Partial<Record<SessionErrorCode, string>> = {
  STORAGE_FULL: 'Free some space, then open the session again; everything acknowledged before is safe.',
  STORAGE_DENIED: 'Give this user the right to write there, then try again.',
};

/** What the file system said, with the file and the way out. Errors of ours pass through. */
export function storageError(error: unknown, doing: string, file: string): Error {
  if (error instanceof SessionError) return error;
  const errno = errnoOf(error);
  const code = CODES[errno ?? ''] ?? 'STORAGE_FAILED';
  const reason = error instanceof Error ? error.message : String(error);
  return new SessionError(
    [`Could not ${doing} ${file}: ${reason}.`, ADVICE[code]].filter(Boolean).join(' '),
    {
      code,
      origin: file,
      retryable: code === 'STORAGE_FULL',
      cause: error,
    },
  );
}

export function errnoOf(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : undefined;
}

export function isMissing(error: unknown): boolean {
  const errno = errnoOf(error);
  return errno === 'ENOENT' || errno === 'ENOTDIR';
}

/** Runs `work`; what the file system throws comes out as a `SessionError`. */
export async function onDisk<T>(doing: string, file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw storageError(error, doing, file);
  }
}

export function corrupt(file: string, line: number | null, what: string, cause?: unknown): SessionError {
  const place = line === null ? file : `${file}, line ${line}`;
  return new SessionError(
    `${place}: ${what}. Nothing was changed. Restore the file from a backup, or mend the line by hand.`,
    { code: 'SESSION_CORRUPT', origin: place, cause },
  );
}
