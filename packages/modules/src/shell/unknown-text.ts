/** Replaces text of a command that is known only when it runs, such as a value in quotes. A private-use character. */
export const UNKNOWN = '\uE000';

/** The same without quotes: it may become several words, or none. */
export const SEVERAL = UNKNOWN + UNKNOWN;
