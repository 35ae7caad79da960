import { AmplifierError, type ErrorDetails } from './amplifier-error.js';
import type { KernelErrorCode } from './error-codes.js';

/** The kernel refuses something. The code says what; the message says to what and what to do next. */
export class KernelError extends AmplifierError {
  declare readonly code: KernelErrorCode;

  constructor(message: string, details: ErrorDetails & { code: KernelErrorCode }) {
    super(message, details);
  }
}
