import { AmplifierError, type ErrorDetails } from '@amplifier/core';

/** Every way a built-in module refuses, with one sentence for each. */
export const MODULE_ERROR_CODES = {
  PROMPT_DENIED: 'A hook did not let the prompt through, so the turn did not start.',
  REQUEST_DENIED: 'A hook did not let the request to the model through, so the turn ended.',
  CONTEXT_FILE_DAMAGED: 'The file of a persistent context holds a line that is no message.',
  CONTEXT_FILE_UNNAMED: 'A persistent context has no file, and the session id cannot serve as a file name.',
} as const;

export type ModuleErrorCode = keyof typeof MODULE_ERROR_CODES;

/** A built-in module cannot go on. The code says why; the message says with what and what to do next. */
export class ModuleError extends AmplifierError {
  declare readonly code: ModuleErrorCode;

  constructor(message: string, details: ErrorDetails & { code: ModuleErrorCode }) {
    super(message, details);
  }
}
