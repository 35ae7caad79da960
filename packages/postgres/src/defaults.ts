/** So many connections for reading, per process; one more writes, and one more is told of news. */
export const READ_CONNECTIONS = 4;

/** Whoever cannot reach the server for so long is told; until then everything waits. */
export const PATIENCE_MS = 30_000;

/** A process that begins waits this long for a server that is just starting. */
export const OPEN_PATIENCE_MS = 5_000;

/** How long a connection may take to come about. */
export const CONNECT_MS = 5_000;

/** Between attempts to connect: the first comes soon, so that a restart of the server costs little. */
export const RECONNECT_MS = [20, 50, 100, 200, 500];

/** A statement that takes longer is ended, by the server or, where that does not answer, here. */
export const STATEMENT_MS = 30_000;

/** Whoever holds the line of writes and says nothing for so long, as a stopped process does, loses it. */
export const SILENT_WRITER_MS = 3_000;

/** A commit takes no more work after this long: writers of other processes wait meanwhile. */
export const COMMIT_BUDGET_MS = 20;

/** Facts that nobody waits for share the next commit, or have their own after this long. */
export const TRAILING_MS = 50;

/** News for other processes are gathered this long: telling takes a lock that all of the server's databases share. */
export const NOTIFY_MS = 10;

/** What fits into one piece of news; more than this is told as "look at everything". */
export const NOTIFY_BYTES = 7_500;

/** How often a process looks who else is there, which also shows that its own connection lives. */
export const PRESENCE_MS = 250;

/** Without an answer for so long, that connection counts as lost. */
export const PRESENCE_ANSWER_MS = 5_000;

/** After a start of the server nobody counts as dead for so long: all have to come back first. */
export const RETURN_MS = 10_000;

/** Longer texts are stored once each, by their hash. In characters. */
export const BLOB_CHARACTERS = 1_000_000;

/** A connection that broke is made again within this time; a process counts as dead when it is gone for longer. */
export const CONFIRM_MS = 200;

/** The two numbers of advisory locks: these for the record itself, and one for each process that is there. */
export const RECORD_LOCKS = 0x414d504c;
export const PRESENCE_LOCKS = 0x414d5050;
export const WRITE_LOCK = 1;
export const MIGRATE_LOCK = 2;
