/** How far a tree of delegations may go when nobody says otherwise. */
export const DEFAULT_LIMITS = {
  /** A root is at depth 0. Three levels are enough for plan, part and detail; deeper trees are runaways. */
  max_depth: 3,
  /** Over the whole tree, for its whole life. */
  max_children: 64,
  /** Children that work at the same time; more wait in line. */
  max_concurrency: 8,
  /** Model calls of one child in one turn. */
  max_turns: 100,
  /** Seconds a delegation may take. The seed's own default; null disables. */
  timeout: 300,
  /** Seconds without any sign of life while no tool runs. */
  stall: 300,
} as const;

/** Turns of the parent's conversation that `recent` passes when the call names no number. */
export const DEFAULT_CONTEXT_TURNS = 5;

/** The most turns `recent` may ask for. */
export const MAX_CONTEXT_TURNS = 10;

/** Characters of one message in the inherited context: enough for a paragraph of reasoning, not for a file. */
export const MESSAGE_CHARACTERS = 2000;

/** Characters of one tool result before it is inherited at all. */
export const TOOL_RESULT_CHARACTERS = 4000;

/** Tokens of the whole inherited context. The newest messages are kept. */
export const CONTEXT_TOKENS = 16_000;

/** Characters of an answer beyond which it is kept once, as a message, and its outcome refers to that. */
export const LONG_ANSWER = 64_000;

/** What the outcome of a long answer keeps of it, for whoever looks at the record without its messages. */
export const KEPT_BEGINNING = 2_000;

/** A summary where the caller names no length: a page. */
export const SUMMARY_CHARACTERS = 4_000;

/** Characters of an answer that go to the parent's model; the rest stays in the child's transcript. */
export const RESPONSE_CHARACTERS = 60_000;

/** How long a graceful stop may take before it becomes an immediate one. */
export const GRACE_MS = 5000;

/** How often a session that is waited for is looked at for signs of its process. */
export const LIVENESS_MS = 500;

/** How long the calls of a process count against a provider's limit without a sign of life of it. */
export const GATE_LEASE_MS = 30_000;

/** How often whoever waits to ask a provider looks whether somebody died who was before them; no commit tells it. */
export const GATE_CHECK_MS = 1_000;

/** A provider that turned calls away is asked with care for so long after it may be asked again. */
export const GATE_MEMORY_MS = 60_000;

/** For so long after that no more calls go at once than it took; then one more with each that succeeds. */
export const GATE_STEADY_MS = 10_000;

/** How long a provider is left alone that turned a call away, where neither it nor the retries say. */
export const GATE_DEFAULT_SECONDS = 1;

/** Nobody writes to a child that has just been made; one that has ended by then need not have listened. */
export const MAIL_DELAY_MS = 50;

/** How long a fact of a turn that nobody waits for may stay in memory: a few of them then share one write. */
export const JOURNAL_DELAY_MS = 20;

/**
 * So many children are created at the same time; others that were asked for wait in line. Enough to share a flush, and a
 * thousand that are asked for at once do not all lie half made in memory.
 */
export const CREATED_AT_ONCE = 16;

/** How often the lease of a run is renewed: well below the lease itself. */
export const CLAIM_KEEP_ALIVE_MS = 5_000;

/** A run whose session another process has is claimed again after this long. */
export const LOCKED_RETRY_MS = 500;

/** A price that is not told by then is not known: a guard that waits for ever would hold the turn. */
export const PRICE_LOOKUP_MS = 5_000;

/** Files that go along with one instruction. More is an archive, not a question. */
export const MAX_ATTACHMENTS = 20;

/** The largest image that the model vendors take. */
export const MAX_IMAGE_BYTES = 5 * 1024 * 1024;

/** Text that goes along whole. Longer files are read by a tool, in parts. */
export const MAX_TEXT_ATTACHMENT_BYTES = 256 * 1024;
