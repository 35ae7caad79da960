/** The port the first daemon of this kind used, so that existing clients find it. */
export const DEFAULT_PORT = 8420;
export const DEFAULT_HOST = '127.0.0.1';

/** A request holds a plan or a message, never a file. Larger ones are refused before they are read. */
export const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** One message; a conversation of these still reads in well under a second. */
export const MAX_MESSAGE_BYTES = 1024 * 1024;

/** JSON nested deeper than this is an attack on whoever walks it, not data. */
export const MAX_JSON_DEPTH = 64;

/** A client gets this long to send its request, so that slow ones cannot hold connections for ever. */
export const REQUEST_TIMEOUT_MS = 30_000;

/** What is under way when the daemon is told to stop gets this long to end. */
export const SHUTDOWN_TIMEOUT_MS = 10_000;

/** How deep sessions may be nested when the profile does not say; the delegation runtime uses the same figure. */
export const MAX_DEPTH = 3;

/** Children of one session: more is a loop that got out of hand. */
export const MAX_CHILDREN = 64;

/** A session that was just written is likely to be written again; its log stays open this long. */
export const LOG_IDLE_MS = 2_000;

/** Logs kept open at once. Each holds a lock file and up to two handles of the store's own pool. */
export const MAX_OPEN_LOGS = 128;

/** Runs at work at once. Each waits for a model most of the time; this many still leave the processor to requests. */
export const MAX_ACTIVE_RUNS = 256;

/** Runs of one session in line: more is a client that does not look at the answers. */
export const MAX_QUEUED_RUNS = 100;

/** How often a run shows that it is alive: well below the lease of the queue. */
export const RUN_KEEP_ALIVE_MS = 5_000;

/** A run that took the daemon down this often is not tried again. */
export const MAX_RUN_ATTEMPTS = 5;

/** The longest a request may wait for a run: below the patience of most proxies. */
export const MAX_WAIT_SECONDS = 300;

/** A person who left the desk is noticed within minutes, and the answer is no. */
export const APPROVAL_TIMEOUT_SECONDS = 300;

/** Sessions whose approvals are kept folded: a look at one of them then reads only what is new. */
export const APPROVAL_CACHE = 1_000;

/** What one timer can wait for; longer times are looked at again by then. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Deleted means deleted, unless the operator wants a trash. */
export const TRASH_DAYS = 0;

/** The seed's retention: ended sessions older than a month may go. */
export const CLEANUP_DAYS = 30;

/** One context file; larger ones are data, not guidance for a model. */
export const MAX_CONTEXT_FILE_BYTES = 1024 * 1024;

/** All embedded text of one profile: several times what fits any model. */
export const MAX_EMBEDDED_BYTES = 16 * 1024 * 1024;

/** Files copied for one profile: modules with their assets, without their dependencies. */
export const MAX_PROFILE_FILES = 20_000;

/** Rendered plans kept in memory, so that reading one again costs no parsing. */
export const PLAN_CACHE_BYTES = 64 * 1024 * 1024;

/** Sessions whose text one search looks through; it goes on from there with the cursor. */
export const SEARCH_SCAN = 500;

/** Nodes of a session tree in one answer. */
export const MAX_TREE_NODES = 1_000;

export const DEFAULT_PAGE = 50;
export const MAX_PAGE = 1_000;

export const FOLDER_MODE = 0o700;
export const FILE_MODE = 0o600;
