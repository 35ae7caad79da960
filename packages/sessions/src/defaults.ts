/** A writer waits this long in place for another process: a commit takes a fraction of it. */
export const BUSY_WAIT_MS = 20;
/** Then it tries again this often, while its process goes on. */
export const BUSY_RETRY_MS = 10;
/** A process that keeps the record locked for so long is stuck or stopped; whoever waits is told. */
export const BUSY_PATIENCE_MS = 120_000;
/** Facts that nobody waits for share the next commit, or have their own after this long. */
export const TRAILING_MS = 50;
/** A commit takes no more work after this long: other work of the process waits meanwhile. */
export const COMMIT_BUDGET_MS = 6;
/** The log beside the database is folded into it at 16 MB: rarely, and in some ten milliseconds. */
export const CHECKPOINT_PAGES = 4_096;
/** Pages of the database kept in memory, per connection. */
export const CACHE_KB = 8_192;
/** Commits of other processes are followed at once, and after that this often at most. */
export const FOREIGN_REST_MS = 5;
/** How often the clock looks for them where no file watch tells. */
export const FOREIGN_POLL_MS = 500;
/** A file watch that nobody needs any more is kept this long: the next session that runs will need it again. */
export const WATCH_LINGER_MS = 1_000;
/** Rows read at once, so that a long log does not hold up the process. */
export const READ_ROWS = 500;
/** Readable copies follow after this long: several appends of a turn share the writing. */
export const COPY_DELAY_MS = 500;
/** Copies that met a full disk are tried again so often. */
export const COPY_RETRY_MS = 5_000;
/** The list of all sessions rests this many times as long as it took to write: a long one takes a twentieth of the time at most. */
export const COPY_INDEX_REST = 20;
/** So many of the newest sessions are in it. */
export const COPY_INDEX_SESSIONS = 10_000;
/** So many sessions that a dead process left without copies are made good at once. */
export const COPY_STALE = 500;
/** Enough to find the last line of most copies; one with a longer line is written anew. */
export const COPY_TAIL_BYTES = 64 * 1024;

export const DEFAULT_PAGE = 50;
export const MAX_PAGE = 1_000;
/** How long ownership and a claim last without a sign of life: several times the longest pause of a healthy process. */
export const LEASE_MS = 30_000;
/** So often a lease is renewed before it would run out. */
export const LEASE_RENEWALS = 3;
/** How often whoever waits for a lease to run out looks at it. */
export const LEASE_CHECK_MS = 500;
/** How often a waiting claimer looks whether another owner has died; no commit tells it. */
export const LIVENESS_CHECK_MS = 500;
/** A turn that took its process down this often is not tried again. */
export const MAX_ATTEMPTS = 5;
/** Ended runs stay visible this long. */
export const RUN_RETENTION_MS = 7 * 24 * 60 * 60 * 1000;

export const DAY_MS = 24 * 60 * 60 * 1000;

export const FOLDER_MODE = 0o700;
export const FILE_MODE = 0o600;
/** Characters of an answer that are kept with the session: a long book. No model reads more in one go, and every reader has to carry it. */
export const MAX_ANSWER_CHARACTERS = 1_000_000;
/** Characters of what was cut off an answer that are kept in a file. */
export const MAX_ANSWER_SPILL = 64_000_000;
/** Pieces of text are told together this often: often enough to look like writing, and twenty times a second at most. */
export const LIVE_PAUSE_MS = 50;
/** Characters kept of a message that is being written; what is beyond is seen when it is stored. */
export const LIVE_CHARACTERS = 1_000_000;
/** Bytes that wait for one listener of another process before it misses pieces. */
export const LIVE_BACKLOG_BYTES = 256 * 1024;
/** How often other processes that speak are looked for where no file watch tells. */
export const LIVE_LOOK_MS = 2_000;
/** A line of another process that is longer than any of ours ends the connection. */
export const LIVE_LINE_BYTES = 16 * 1024 * 1024;
