import { AmplifierError } from '@amplifier/host';
import type { McpErrorCode } from './error-codes.js';

/** A refusal of this entry point, before anything ran. */
export class McpToolError extends AmplifierError {
  readonly details: Record<string, unknown> | undefined;

  constructor(code: McpErrorCode, message: string, details?: Record<string, unknown>) {
    super(message, { code });
    this.details = details;
  }
}
