/** Files held open for appending, per store: far below the usual limit of 1,024, and more than run at once on a machine. */
export const OPEN_FILES = 256;

/** Sessions whose metadata is kept in memory after it was read: about 2 KB each. */
export const RECENT_SESSIONS = 4_096;

/**
 * Counts in `metadata.json` and in listings may trail the log by this long. Short enough for a person, long enough that a
 * thousand busy sessions do not flush a thousand caches several times a second.
 */
export const METADATA_DELAY_MS = 1_000;

/** One read finds the last 50 messages of an ordinary conversation. */
export const TAIL_CHUNK_BYTES = 64 * 1024;

/** Big enough that reading a long log is bound by parsing, small enough for thousands of readers. */
export const READ_CHUNK_BYTES = 256 * 1024;

/** A shared journal is folded into its snapshot at this size: reading it back stays well under 100 ms. */
export const JOURNAL_BYTES = 8 * 1024 * 1024;

/** The same for the journal of runs. Some 1,500 runs that have ended since the last time are in memory by then. */
export const RUN_JOURNAL_BYTES = 2 * 1024 * 1024;

/** The feed keeps about 128 MB of pointers, several million events; an older cursor is refused with a clear error. */
export const FEED_SEGMENTS = 16;

/**
 * The first news wakes watchers at once; more that follow within this time come together. A person does not see the delay,
 * and a session that appends without pause loses nothing by the feed.
 */
export const FEED_PAUSE_MS = 50;

/** News of the feed are read this often at most, and the first ones at once: too short for a person, or a model, to notice. */
export const FEED_REST_MS = 5;

/** A file watch that nobody needs any more is kept this long: the next session that runs will need it again. */
export const FEED_LINGER_MS = 1_000;

/** Folders of unfinished creations older than this belong to nobody. */
export const ABANDONED_CREATION_MS = 60 * 60 * 1000;

/** Sessions read at once while the index is made again: enough to keep the disk busy. */
export const REBUILD_PARALLEL = 32;

export const DEFAULT_PAGE = 50;
export const MAX_PAGE = 1_000;

/** How long a claim lasts without a sign of life: several times the longest pause of a healthy process. */
export const LEASE_MS = 30_000;

/** How often a waiting claimer looks whether another owner has died; no file event tells it. */
export const LIVENESS_CHECK_MS = 500;

/** A turn that took its process down this often is not tried again. */
export const MAX_ATTEMPTS = 5;

/** Ended runs stay visible this long. */
export const RUN_RETENTION_MS = 7 * 24 * 60 * 60 * 1000;

/** What is this large, appended at once or at a session's birth, is flushed in its own place: writing it twice would cost more than the flush it saves. */
export const REDO_RECORD_BYTES = 1024 * 1024;

/** A redo log is settled at this size: reading it back after a power cut takes a fraction of a second. */
export const REDO_SEGMENT_BYTES = 32 * 1024 * 1024;

/** A flush shorter than this may hold up the whole process: it is no more than any other piece of work. */
export const QUICK_FLUSH_MS = 0.5;

/** Blocks are taken this far ahead, so that most flushes find the file's size unchanged and write data only. */
export const REDO_ROOM_BYTES = 1024 * 1024;

/** A redo log that nobody has added to for this long is settled; until then its files may wait for theirs. */
export const REDO_IDLE_MS = 5_000;

export const FOLDER_MODE = 0o700;
export const FILE_MODE = 0o600;
