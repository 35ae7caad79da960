import { AmplifierError, type ErrorDetails } from '@amplifier/core';

/** Every way a built-in tool refuses or fails, with one sentence for each. Codes are stable; wording is not. */
export const TOOL_ERROR_CODES = {
  INVALID_INPUT: 'The input does not fit the schema of the tool.',
  NOT_PERMITTED: 'The grant of the session does not allow this.',
  NOT_FOUND: 'There is no such file, folder, process, skill, server or resource.',
  WRONG_KIND: 'The path names something of another kind: a folder, a device, a socket.',
  TOO_LARGE: 'The file, the answer or the input is larger than the tool takes.',
  BINARY_FILE: 'The file is not text.',
  NO_MATCH: 'The text to replace is not in the file.',
  AMBIGUOUS_MATCH: 'The text to replace is in the file more than once.',
  NO_CHANGE: 'The edit would leave the file as it is.',
  FILE_CHANGED: 'The file was changed by somebody else since it was read, or while it was edited.',
  INVALID_PATTERN: 'The pattern cannot be read.',
  COMMAND_FAILED: 'The command ended with an exit code other than zero.',
  TIMEOUT: 'It took longer than it was given.',
  CANCELLED: 'The session asked to stop.',
  LIMIT_REACHED: 'The session already has as many as it may have.',
  ADDRESS_REFUSED: 'The host resolves to an address the session may not reach.',
  FETCH_FAILED: 'The address could not be fetched.',
  NOT_CONFIGURED: 'The tool lacks a setting it needs for this.',
  SERVER_FAILED: 'The MCP server failed, cannot be reached or answered with an error.',
  SPAWN_UNAVAILABLE: 'The app offers no way to start a child session.',
  IO_FAILED: 'The operating system refused the operation.',
} as const;

export type ToolErrorCode = keyof typeof TOOL_ERROR_CODES;

/** A tool cannot do what it was asked. The message says what happened, to what, and what to do next. */
export class ToolError extends AmplifierError {
  declare readonly code: ToolErrorCode;
  /** What the model gets to read instead of the message, when there is more to tell. */
  readonly output: unknown;

  constructor(
    code: ToolErrorCode,
    message: string,
    { output, ...details }: Omit<ErrorDetails, 'code'> & { output?: unknown } = {},
  ) {
    super(message, { ...details, code });
    this.output = output;
  }
}
