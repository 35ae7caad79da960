import { AmplifierError } from '@amplifier/core';
import { SessionError } from '@amplifier/sessions';
import { DatabaseError } from 'pg';

/** Connections that broke or could not be made, and a server that is starting, stopping, full or had to end what it did. */
const PASSING = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN'],
  ...['57P01', '57P02', '57P03', '25P03', '25P04', '53300', '40001', '40P01', '55P03', '57014'],
]);

/** What `pg` says in words only, when a connection is gone or does not answer. */
const LOST = /Connection terminated|Client has encountered a connection error|not queryable|timeout/i;

/** May the same work succeed in a moment? What the work itself refuses, in whatever words, it refuses again. */
export function isPassing(error: unknown): boolean {
  if (AmplifierError.is(error)) return false;
  const code = codeOf(error);
  if (code !== null && (PASSING.has(code) || code.startsWith('08'))) return true;
  // A socket of a server that is not up yet is no file.
  if (code === 'ENOENT' && (error as NodeJS.ErrnoException).syscall === 'connect') return true;
  if (error instanceof DatabaseError || !(error instanceof Error)) return false;
  return LOST.test(error.message);
}

/** What the server said, as an error of the record. Errors of ours pass as they are. */
export function storageError(cause: unknown, name: string): unknown {
  if (cause instanceof SessionError) return cause;
  const code = codeOf(cause);
  if (code === null && !isPassing(cause)) return cause;
  const said = cause instanceof Error ? cause.message : String(cause);
  const { kind, advice } = kindOf(code);
  return new SessionError(`The record ${name} cannot be used: ${said}. ${advice}`, {
    code: kind,
    origin: name,
    retryable: isPassing(cause),
    cause,
  });
}

function kindOf(code: string | null): {
  kind: 'STORAGE_FULL' | 'STORAGE_DENIED' | 'STORAGE_FAILED';
  advice: string;
} {
  if (code === '53100') return { kind: 'STORAGE_FULL', advice: "Make room on the server's disk." };
  if (code === '42501' || code?.startsWith('28'))
    return { kind: 'STORAGE_DENIED', advice: 'Look at user, password and rights in its address.' };
  if (code === '3D000') return { kind: 'STORAGE_FAILED', advice: 'Make the database first (createdb).' };
  return { kind: 'STORAGE_FAILED', advice: 'Look at the server, then try again.' };
}

function codeOf(error: unknown): string | null {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : null;
}
