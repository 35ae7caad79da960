import { AmplifierError, type ErrorDetails } from '@amplifier/core';

/** The record refuses something. `origin` is the session, file or run it is about. */
export class SessionError extends AmplifierError {
  declare readonly code: SessionErrorCode;

  constructor(message: string, details: ErrorDetails & { code: SessionErrorCode }) {
    super(message, details);
  }
}

export function hasCode(error: unknown, code: SessionErrorCode): boolean {
  return AmplifierError.is(error) && error.code === code;
}

/** Every way the record refuses, with one sentence for each. Codes are stable; wording is not. */
export const SESSION_ERROR_CODES = {
  INVALID_SESSION_ID: 'The text is not a session id, so it names nothing.',
  INVALID_QUERY: 'A limit, range, filter or policy is outside of what the call allows.',
  INVALID_CURSOR: 'The cursor was not made by this store, or what it pointed to is gone.',
  INVALID_TRANSITION: 'A session cannot go from its present status to the one asked for.',
  INVALID_RECORD: 'The data cannot be stored: it is not JSON, or lacks what every record has.',
  INVALID_EXPORT: 'The text is not a complete exported session.',
  SESSION_NOT_FOUND: 'There is no session with this id here.',
  SESSION_AMBIGUOUS: 'More than one session id begins with this text.',
  SESSION_EXISTS: 'The id, or the tool call, already has a session.',
  SESSION_LOCKED: 'Another live owner is writing this session.',
  SESSION_ACTIVE: 'The session is active; deleting it needs force.',
  SESSION_HAS_CHILDREN: 'Sessions hang below this one; say what to do with them.',
  SESSION_CORRUPT: 'A part of the record is damaged; the message names it.',
  RECORD_TOO_NEW: 'A newer program wrote the record; this one leaves it alone.',
  LOG_CLOSED: 'The log or store was closed and cannot be used again.',
  LOG_BROKEN: 'An earlier write failed, so the log must be opened again before it takes more.',
  FENCED: 'A newer owner has taken over; what this one writes no longer counts.',
  TURN_NOT_FOUND: 'The conversation has no such turn.',
  RUN_NOT_FOUND: 'There is no run with this id in the queue.',
  RUN_EXISTS: 'The run id is taken.',
  RUN_ENDED: 'The run has ended already.',
  STORAGE_FULL: 'The disk, or the quota on it, is full.',
  STORAGE_DENIED: 'The folder or file may not be read or written.',
  STORAGE_FAILED: 'The file system refused for another reason, which the message gives.',
} as const;

export type SessionErrorCode = keyof typeof SESSION_ERROR_CODES;
