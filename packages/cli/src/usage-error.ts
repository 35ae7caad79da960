/** A command line that can be parsed and still makes no sense. */
export class UsageError extends Error {}
