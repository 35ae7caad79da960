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
/** Enough to find the last line of most copies; more is read for a longer one. */
export const COPY_TAIL_BYTES = 64 * 1024;
/** Bytes that wait for one listener of another process before it misses pieces. */
export const LIVE_BACKLOG_BYTES = 256 * 1024;
/** How often other processes that speak are looked for where no file watch tells. */
export const LIVE_LOOK_MS = 2_000;
/** A line of another process that is longer than any of ours ends the connection. */
export const LIVE_LINE_BYTES = 16 * 1024 * 1024;
/** How often whoever waits for a lease to run out looks at it. */
export const LEASE_CHECK_MS = 500;
/** Text read at once for a copy, unless a single record has more. */
export const COPY_BYTES = 256 * 1024;
/** Rows read at once for a check. */
export const CHECK_ROWS = 500;

export const FOLDER_MODE = 0o700;
export const FILE_MODE = 0o600;
