/** An agent or bundle is prose for a model: beyond this it is not one. */
export const MAX_DOCUMENT_BYTES = 1024 * 1024;

/** Files read at once when many are wanted: enough to keep the disk busy, far below the limit of open files. */
export const MAX_OPEN_FILES = 32;

/** One fetch of a source, from start to end. Slow links and large repositories need minutes; a hung one must not hold a session. */
export const SOURCE_TIMEOUT_MS = 300_000;

/** A source unpacked on disk. Bundles are text and a few scripts; this leaves room for modules with their assets. */
export const MAX_SOURCE_BYTES = 512 * 1024 * 1024;

/** Files of one archive: each costs a system call or two, whatever its size. */
export const MAX_SOURCE_FILES = 50_000;

/** A single download, which is held in memory while it is unpacked. */
export const MAX_DOWNLOAD_BYTES = 100 * 1024 * 1024;

/** As many as browsers follow. */
export const MAX_REDIRECTS = 20;

/** How long the answer to "where does this branch stand" is trusted, so that starting a session asks the network rarely. */
export const REVISION_MAX_AGE_MS = 10 * 60_000;

/** Leftovers of a fetch that was killed are removed once they are older than any fetch may take. */
export const TEMP_MAX_AGE_MS = 60 * 60_000;

/** Tries of a fetch whose failure may pass, and the wait before the second; it doubles. */
export const FETCH_ATTEMPTS = 3;
export const FETCH_RETRY_MS = 1_000;

/** How often the size of a running fetch is looked at. */
export const SIZE_CHECK_MS = 1_000;

/** A file pulled into a prompt. Larger ones would fill a model's window by themselves. */
export const MAX_MENTION_BYTES = 512 * 1024;

/** How far mentions are followed into mentioned files. */
export const MAX_MENTION_DEPTH = 3;

/** Entries of a mentioned folder that are listed. */
export const MAX_LISTED_ENTRIES = 500;

/** All instruction files of a session together: some eight thousand tokens, far above what people write by hand. */
export const MAX_INSTRUCTION_BYTES = 32 * 1024;

/** How far imports of instruction files are followed. */
export const MAX_IMPORT_DEPTH = 5;
