import { AmplifierError } from '@amplifier/core';
import type { AcpErrorCode } from './error-codes.js';

export class AcpError extends AmplifierError {
  override readonly name = 'AcpError';
  declare readonly code: AcpErrorCode;

  constructor(message: string, options: { code: AcpErrorCode; origin?: string; cause?: unknown }) {
    super(message, options);
  }
}
