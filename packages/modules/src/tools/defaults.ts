/** Limits and defaults of the tools, each with its reason. */

/** A page longer than this drowns the conversation; the model asks for the next part. */
export const WEB_TEXT_CHARACTERS = 50_000;

/** Enough for any readable page; more is a download. */
export const WEB_MAX_BYTES = 5 * 1024 * 1024;

/** A page that takes longer is not worth the model's waiting. */
export const WEB_TIMEOUT_MS = 30_000;

/** Browsers stop at 20; honest pages need two or three. */
export const WEB_MAX_REDIRECTS = 5;

export const WEB_SEARCH_RESULTS = 10;
