import { AmplifierError, type ErrorDetails } from '@amplifier/core';

/** Every way this package refuses, with one sentence for each. Codes are stable; wording is not. */
export const FOUNDATION_ERROR_CODES = {
  FILE_NOT_FOUND: 'The file or folder is not there.',
  FILE_UNREADABLE: 'The file is there but cannot be read.',
  FILE_TOO_LARGE: 'The file is larger than a document of its kind may be.',
  NOT_TEXT: 'The file is not UTF-8 text.',
  SYMLINK_LOOP: 'A symbolic link leads back to itself.',
  PATH_ESCAPES_ROOT: 'The path leads out of the folder it must stay in.',
  INVALID_YAML: 'The YAML cannot be parsed.',
  FRONTMATTER_NOT_CLOSED: 'The file opens a frontmatter with --- and never closes it.',
  INVALID_AGENT: 'The agent file has a value of the wrong type or kind.',
  INVALID_AGENT_NAME: 'The text is not a name an agent can have.',
  AGENT_NOT_FOUND: 'No search path holds an agent of this name.',
  INVALID_BUNDLE: 'The bundle file has a value of the wrong type or kind.',
  BUNDLE_NOT_FOUND: 'No bundle is registered under this name and no source leads to one.',
  BUNDLE_DEPENDENCY: 'A bundle includes another that cannot be loaded.',
  BUNDLE_CYCLE: 'A bundle includes itself, directly or through others.',
  INVALID_SOURCE: 'The source is malformed.',
  SOURCE_NOT_FOUND: 'The source does not exist.',
  SOURCE_REF_NOT_FOUND: 'The repository has no such branch, tag or commit.',
  SOURCE_UNREACHABLE: 'The server of the source does not respond.',
  SOURCE_TIMEOUT: 'Fetching the source took longer than allowed.',
  SOURCE_TOO_LARGE: 'The source is larger than allowed.',
  SOURCE_FAILED: 'The source was reached but could not be fetched.',
  INVALID_SETTINGS: 'A settings file cannot be used.',
  INVALID_PREFERENCE: 'A provider preference is malformed.',
  NO_MODEL: 'No provider of the plan can be used.',
  PROVIDER_UNKNOWN: 'The plan has no provider of this name.',
  ROLE_UNMET: 'No available model serves the role.',
  INVALID_MATRIX: 'A routing matrix or an override of one is invalid.',
  MATRIX_NOT_FOUND: 'No routing folder holds a matrix of this name.',
} as const;

export type FoundationErrorCode = keyof typeof FOUNDATION_ERROR_CODES;

/** Where in a file something is wrong. Lines count from 1. */
export interface Place {
  file: string;
  line?: number;
}

/** Something on disk, or about to come from there, cannot be used. `file` and `line` say where, the message what to do. */
export class FoundationError extends AmplifierError {
  declare readonly code: FoundationErrorCode;
  readonly file: string | undefined;
  readonly line: number | undefined;

  constructor(
    message: string,
    { place, ...details }: ErrorDetails & { code: FoundationErrorCode; place?: Place },
  ) {
    super(place ? `${formatPlace(place)}: ${message}` : message, {
      ...details,
      origin: details.origin ?? place?.file,
    });
    this.file = place?.file;
    this.line = place?.line;
  }
}

/** The same refusal, said of a place in the file that caused it. */
export function blamedOn(error: unknown, place: Place): unknown {
  if (!(error instanceof FoundationError)) return error;
  return new FoundationError(error.message, {
    code: error.code,
    place,
    cause: error,
    retryable: error.retryable,
  });
}

export function formatPlace({ file, line }: Place): string {
  return line === undefined ? file : `${file}:${line}`;
}
