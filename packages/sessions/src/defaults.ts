/** A writer waits this long in place for another process: a commit takes a fraction of it. */
export const BUSY_WAIT_MS = 20;
/** Then it tries again this often, while its process goes on. */
export const BUSY_RETRY_MS = 10;
/** A process that keeps the record locked for so long is stuck or stopped; whoever waits is told. */
export const BUSY_PATIENCE_MS = 120_000;
/** Facts that nobody waits for share the next commit, or have their own after this long, or twice as long after another commit. */
export const TRAILING_MS = 25;
/** A commit takes no more work after this long: other work of the process waits meanwhile. */
export const COMMIT_BUDGET_MS = 6;
/** Appends of a session that are written as one: more would not fit into a commit. */
export const MOST_JOINED = 256;
/** The log beside the database is folded into it at 16 MB: rarely, and in some ten milliseconds. */
export const CHECKPOINT_PAGES = 4_096;
/** Pages of the database kept in memory, per connection: what is not among them comes from the system's memory, at some microseconds each. */
export const CACHE_KB = 2_048;
/** Commits of other processes are followed at once, and after that this often at most. */
export const FOREIGN_REST_MS = 5;
/** How often the clock looks for them where no file watch tells. */
export const FOREIGN_POLL_MS = 500;
/** A file watch that nobody needs any more is kept this long: the next session that runs will need it again. */
export const WATCH_LINGER_MS = 1_000;
/** Rows read at once, so that a long log does not hold up the process. */
export const READ_ROWS = 500;
/** Text read at once, unless a single row has more: parsing it takes some milliseconds. */
export const READ_BYTES = 256 * 1024;
/** Parsing a page for longer than this lets the event loop turn before the next page is read, by any reader. */
export const LONG_PARSE_MS = 1;

export const DEFAULT_PAGE = 50;
export const MAX_PAGE = 1_000;
/** How long ownership and a claim last without a sign of life: several times the longest pause of a healthy process. */
export const LEASE_MS = 30_000;
/** So often a lease is renewed before it would run out. */
export const LEASE_RENEWALS = 3;
/** How often a waiting claimer looks whether another owner has died; no commit tells it. */
export const LIVENESS_CHECK_MS = 500;
/** A claimer that waits for the time of a run looks at the clock this often: it may have been set, or the machine suspended. */
export const CLOCK_CHECK_MS = 60_000;
/** A turn that took its process down this often is not tried again. */
export const MAX_ATTEMPTS = 5;
/** Ended runs stay visible this long. */
export const RUN_RETENTION_MS = 7 * 24 * 60 * 60 * 1000;

export const DAY_MS = 24 * 60 * 60 * 1000;

export const FOLDER_MODE = 0o700;
export const FILE_MODE = 0o600;

/** Readable copies are written after this long without a change, so that they do not compete with a turn. */
export const COPY_IDLE_MS = 500;
/** The longest delay of a readable copy while changes continue. */
export const COPY_LATEST_MS = 5_000;
/** Sessions whose last written state is kept in memory. */
export const COPIES_REMEMBERED = 1_000;
/** The longest time that closing a record spends on copies: a process that is stopped has a few seconds in all. */
export const COPY_CLOSE_MS = 2_000;
/** Delay before copies are tried again after a full disk. */
export const COPY_RETRY_MS = 5_000;
/** The list of sessions is written again after this many times its own duration, so it takes at most a twentieth of the time. */
export const COPY_INDEX_REST = 20;
/** Sessions in that list, newest first. */
export const COPY_INDEX_SESSIONS = 10_000;
/** Sessions without copies, left by a process that died, that are written in one pass. */
export const COPY_STALE = 500;
/** Bytes read to find the last line of a copy. A longer line needs more reads. */
export const COPY_TAIL_BYTES = 64 * 1024;
/** Live text buffered for one subscriber in another process. Beyond this, pieces are dropped. */
export const LIVE_BACKLOG_BYTES = 256 * 1024;
/** Interval of the search for other processes with live text where files cannot be watched. */
export const LIVE_LOOK_MS = 2_000;
/** A longer line from another process ends the connection. */
export const LIVE_LINE_BYTES = 16 * 1024 * 1024;
/** Poll interval while a lease of an unknown process runs out. */
export const LEASE_CHECK_MS = 500;
/** Text read at once for a copy, unless a single record is longer. */
export const COPY_BYTES = 256 * 1024;
/** Rows read at once by a verification. */
export const CHECK_ROWS = 500;
