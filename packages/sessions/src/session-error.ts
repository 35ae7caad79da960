import { AmplifierError, type ErrorDetails } from '@amplifier/core';
import type { SessionErrorCode } from './error-codes.js';

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
