import { AmplifierError, type ErrorDetails } from '@amplifier/core';
import type { WorkspaceErrorCode } from './error-codes.js';

/** The workspace refuses or fails. The code says what; the message says to what and what to do next. */
export class WorkspaceError extends AmplifierError {
  declare readonly code: WorkspaceErrorCode;

  constructor(message: string, details: ErrorDetails & { code: WorkspaceErrorCode }) {
    super(message, details);
  }
}

/** The `code` of an operating system error (`ENOENT`), or undefined for anything else. */
export function errnoOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string'
    ? thrown.code
    : undefined;
}
