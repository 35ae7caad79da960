/** A command line that can be parsed and still makes no sense. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** By name: a command that is a bundle of its own has a class of its own. */
export function isUsageError(error: unknown): error is UsageError {
  return error instanceof Error && error.name === 'UsageError';
}
