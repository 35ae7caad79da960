import { AmplifierError, type JsonObject } from '@amplifier/core';
import { DAEMON_ERRORS, type DaemonErrorCode } from './error-codes.js';

/** Where in a request something is wrong. */
export interface FieldError {
  path: string;
  message: string;
}

/** The daemon refuses something. The message is shown to the client, so it must not name files outside the home. */
export class DaemonError extends AmplifierError {
  declare readonly code: DaemonErrorCode;
  readonly errors: readonly FieldError[];
  /** Further members of the problem document. */
  readonly members: JsonObject;

  constructor(
    code: DaemonErrorCode,
    message: string,
    {
      errors = [],
      members = {},
      cause,
    }: { errors?: readonly FieldError[]; members?: JsonObject; cause?: unknown } = {},
  ) {
    super(message, { code, cause });
    this.errors = errors;
    this.members = members;
  }

  get status(): number {
    return DAEMON_ERRORS[this.code][0];
  }
}
