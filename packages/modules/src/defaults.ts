/** Limits and defaults of the built-in modules, each with its reason. */

/** Seconds one model call may take, retries not counted. Long thinking takes minutes; a dead connection takes forever. */
export const CALL_TIMEOUT_SECONDS = 600;

/** Seconds a listing of models may take: it must never hold up a session for long. */
export const LISTING_TIMEOUT_SECONDS = 10;

/** Models that sessions share the way to: more than are in use at once, and each takes some 100 KB. */
export const SHARED_MODELS = 64;

/** What is assumed of a model nobody described. Small on purpose: too small costs some compaction, too large fails. */
export const UNKNOWN_MODEL = { context_window: 32_768, max_output_tokens: 4_096 } as const;

/** Thinking tokens by effort, for models that take a budget instead of an effort. */
export const THINKING_BUDGETS: Readonly<Record<string, number>> = {
  minimal: 1_024,
  low: 4_096,
  medium: 10_000,
  high: 24_000,
  xhigh: 32_000,
  max: 48_000,
};

/** Tokens kept free beside the answer: message framing and what the estimate misses. */
export const REQUEST_RESERVE_TOKENS = 1_000;

/** Share of the budget that is used at most: tokens are estimated, not counted. */
export const BUDGET_MARGIN = 0.95;

/** At least this share of the window is for the conversation, however long an answer the model may give. */
export const MIN_WINDOW_SHARE = 0.25;

/** Compaction goes down to this share of the budget, so that it happens rarely and the prompt cache stays warm between. */
export const COMPACTION_TARGET = 0.6;

/** The newest groups (a message, or a tool call with its results) that compaction leaves alone while it can. */
export const KEEP_RECENT_GROUPS = 6;

/** Characters left of a tool result that compaction shortens: enough to see what it was. */
export const SHORTENED_RESULT_CHARACTERS = 400;

/** Characters left of a text that must be shortened because nothing else fits. */
export const SHORTENED_TEXT_CHARACTERS = 4_000;

/** Steps of one turn. Unlimited as in the reference; whoever delegates sets a limit. */
export const MAX_ITERATIONS = -1;

/** Seconds a tool gets to end by itself after an immediate cancellation, before its call is closed without it. */
export const CANCEL_GRACE_SECONDS = 2;

/** The offline provider comes after every real one. */
export const OFFLINE_PRIORITY = 10_000;

/** Characters of each tool result in the offline provider's report: a screenful. */
export const OFFLINE_RESULT_CHARACTERS = 1_500;
/** Entries of a list in it. */
export const OFFLINE_RESULT_LINES = 20;

/** Characters and members of one call's arguments: a large file written in one go fits. */
export const MAX_ARGUMENTS_SIZE = 4 * 1024 * 1024;

/** Share of a request's estimated size that is tried when the model found the request too long. */
export const REFUSED_VIEW_SHARE = 0.6;

/** Calls of one answer that are run. No useful answer was seen to make more. */
export const MAX_TOOL_CALLS = 64;

/** The highest value of the setting: each call may start a process. */
export const MOST_TOOL_CALLS = 1_000;

/** How often hooks may send the model back to work that it thinks is done. */
export const MAX_RETURNS = 3;
