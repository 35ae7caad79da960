import { AmplifierError, type ErrorDetails } from '@amplifier/core';
import type { HostErrorCode } from './error-codes.js';

/** A refusal of the assembly, before anything ran. */
export class HostError extends AmplifierError {
  constructor(message: string, details: Omit<ErrorDetails, 'code'> & { code: HostErrorCode }) {
    super(message, details);
  }
}
