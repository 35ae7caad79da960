/** Limits and defaults of the built-in modules, each with its reason. */

/** Seconds one model call may take, retries not counted. Long thinking takes minutes; a dead connection takes forever. */
export const CALL_TIMEOUT_SECONDS = 600;

/** Seconds a listing of models may take: it must never hold up a session for long. */
export const LISTING_TIMEOUT_SECONDS = 10;

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
