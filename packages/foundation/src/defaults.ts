/** An agent or bundle is prose for a model: beyond this it is not one. */
export const MAX_DOCUMENT_BYTES = 1024 * 1024;

/** Files read at once when many are wanted: enough to keep the disk busy, far below the limit of open files. */
export const MAX_OPEN_FILES = 32;
