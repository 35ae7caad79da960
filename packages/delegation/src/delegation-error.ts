import { AmplifierError, type ErrorDetails } from '@amplifier/core';
import type { DelegationErrorCode } from './error-codes.js';

/** A delegation is refused before anything ran. What happens to a child that did run is an Outcome, never an error. */
export class DelegationError extends AmplifierError {
  declare readonly code: DelegationErrorCode;

  constructor(message: string, details: ErrorDetails & { code: DelegationErrorCode }) {
    super(message, details);
  }
}
