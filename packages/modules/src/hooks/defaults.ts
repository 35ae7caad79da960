/** Limits and defaults of the hooks, each with its reason. */

/** Guards judge what will really be done, so they run after hooks that change it. */
export const SHELL_GUARD_PRIORITY = 800;

/** A person is asked last, about what every other guard let pass. */
export const APPROVAL_PRIORITY = 900;

/** Redaction runs after everybody who may change an event, so that nothing they add slips by. */
export const REDACTION_PRIORITY = 1000;

/** A person who left the desk is noticed within minutes, and the answer is no. */
export const APPROVAL_TIMEOUT_S = 300;

/** Text for eyes: 20 pieces a second read as fluent and cost a fraction of one event per token. */
export const UI_COALESCE_MS = 50;

/** What a person wants to see of a tool's output without scrolling. */
export const UI_PREVIEW_CHARACTERS = 400;

/** A command that a hook waits for holds up the whole turn. */
export const SHELL_HOOK_TIMEOUT_S = 60;

/** What ending a command and reading its answer may take on top of its own time. */
export const SHELL_HOOK_GRACE_MS = 15_000;

/** More than this from a hook command is not an answer but an accident. */
export const SHELL_HOOK_MAX_OUTPUT = 256 * 1024;

/** What deciding about one call may take, in steps of its patterns: far more than honest rules need, well below a second. */
export const DECISION_STEPS = 3_000_000;

/** More rules than a person writes; a file with more is an accident, or meant to hold us up. */
export const MAX_RULES = 1_000;

/** The same for the patterns of redaction, each of which is held against every text. */
export const MAX_PATTERNS = 100;
export const MAX_PATTERN_CHARACTERS = 1_000;
