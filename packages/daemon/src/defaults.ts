/** The port the first daemon of this kind used, so that existing clients find it. */
export const DEFAULT_PORT = 8420;
export const DEFAULT_HOST = '127.0.0.1';

/** A request holds a plan or a message, never a file. Larger ones are refused before they are read. */
export const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** One message; a conversation of these still reads in well under a second. */
export const MAX_MESSAGE_BYTES = 1024 * 1024;

/** Of an exported session that comes over the network: they are written in one piece, while nothing else moves. */
export const MAX_IMPORT_LINES = 50_000;

/** A client gets this long to send its request, so that slow ones cannot hold connections for ever. */
export const REQUEST_TIMEOUT_MS = 30_000;

/** A client gets this long for the headers of a request, from the moment it connects. */
export const HEADERS_TIMEOUT_MS = 10_000;

/** Open files that connections leave to the record, runs and their processes; with a low limit, half of it. */
export const RESERVED_FILES = 2_048;

/**
 * How long a connection stays open between two requests. Longer than clients and proxies keep theirs: with Node's own 5 s a busy
 * client's next request met a connection that was just being closed.
 */
export const IDLE_CONNECTION_MS = 75_000;

/** Requests that one connection may have in progress. Clients rarely send one before the answer to the last has come. */
export const MAX_PIPELINED = 8;

/** Characters of an `X-Request-Id` that is taken over. */
export const MAX_REQUEST_ID = 64;

/** Members of objects and lists in a body: each costs more than the characters that it is written with. */
export const MAX_BODY_MEMBERS = 50_000;

/** Once the requests of a turn have taken this long, others begin in the next. */
export const REQUEST_TURN_MS = 10;

/** For so many turns requests wait while each turn accepts a connection. Nothing begins in them, so they are short. */
export const ACCEPTING_TURNS = 256;

/** Lines of the log are written in blocks of this size: a write for each would cost as much as the request it tells of. */
export const LOG_BUFFER_BYTES = 16_000;

/** Nobody who watches the log waits longer than this for a line. */
export const LOG_FLUSH_MS = 1_000;

/** What is under way when the daemon is told to stop gets this long to end. */
export const SHUTDOWN_TIMEOUT_MS = 5_000;

/** A client that has taken nothing of its answer for this long while the daemon stops is disconnected. */
export const UNREAD_MS = 500;

/**
 * The heap may grow by this much over what is alive before it is collected. By itself V8 goes up to four times that, for speed; a
 * daemon runs for weeks beside other programs. With 200 sessions at work it takes 260 MB this way and 385 MB the other, for a tenth
 * more processor time.
 */
export const HEAP_GROWTH_PERCENT = 100;

/** How deep sessions may be nested when the profile does not say; the delegation runtime uses the same figure. */
export const MAX_DEPTH = 3;

/** Children of one session: more is a loop that got out of hand. */
export const MAX_CHILDREN = 64;

/** Runs at work at once. Each waits for a model most of the time; this many still leave the processor to requests. */
export const MAX_ACTIVE_RUNS = 256;

/** Runs of one session in line: more is a client that does not look at the answers. */
export const MAX_QUEUED_RUNS = 100;

/** The longest a request may wait for a run: below the patience of most proxies. */
export const MAX_WAIT_SECONDS = 300;

/** A person who left the desk is noticed within minutes, and the answer is no. */
export const APPROVAL_TIMEOUT_SECONDS = 300;

/** Sessions whose approvals are kept folded: a look at one of them then reads only what is new. */
export const APPROVAL_CACHE = 1_000;

/** What one timer can wait for; longer times are looked at again by then. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** An approval whose time is over and whose end could not be written is ended again so much later. */
export const APPROVAL_RETRY_MS = 1_000;

/** Deleted means deleted, unless the operator wants a trash. */
export const TRASH_DAYS = 0;

/** How long it is known who changed what. */
export const AUDIT_DAYS = 90;

/** The seed's retention: ended sessions older than a month may go. */
export const CLEANUP_DAYS = 30;

/** One context file; larger ones are data, not guidance for a model. */
export const MAX_CONTEXT_FILE_BYTES = 1024 * 1024;

/** All embedded text of one profile: several times what fits any model. */
export const MAX_EMBEDDED_BYTES = 16 * 1024 * 1024;

/** Entries in one section of an overlay: each becomes a mount of the plan. */
export const MAX_OVERLAY_ENTRIES = 1_000;

/** Files copied for one profile: modules with their assets, without their dependencies. */
export const MAX_PROFILE_FILES = 20_000;

/** Handing this much to the network takes longer than most requests: it is sent at the pace of the reader. */
export const LARGE_BODY_BYTES = 256 * 1024;

/** What is handed to the network at once of a larger body. */
export const SENT_AT_ONCE_BYTES = 64 * 1024;

/** A reader of a large answer that takes nothing for this long is disconnected. */
export const READER_STALL_MS = 30_000;

/** Large answers of one caller under way: each holds a page in memory until it is read. */
export const MAX_LARGE_ANSWERS = 8;
/** Requests of one caller that wait for those. More are refused. */
export const MAX_WAITING_ANSWERS = 64;

/** Text in one page of a listing, of messages or of events, unless a single item has more. */
export const PAGE_BYTES = 1024 * 1024;

/** The app's own metadata of one session: every listing shows it. */
export const MAX_METADATA_BYTES = 64 * 1024;

/** Rendered plans kept in memory, so that reading one again costs no parsing. */
export const PLAN_CACHE_BYTES = 64 * 1024 * 1024;

/** Rendered sessions kept in memory: some ten thousand. */
export const SESSION_CACHE_BYTES = 8 * 1024 * 1024;

/** Sessions whose text one search looks through; it goes on from there with the cursor. */
export const SEARCH_SCAN = 500;
/** Characters that one search looks through, to the end of the session in which they are reached. */
export const SEARCH_CHARACTERS = 32 * 1024 * 1024;

/** Nodes of a session tree in one answer. */
export const MAX_TREE_NODES = 5_000;

/** Trees looked through for one page of those that fit a query; the cursor goes on from there. */
export const TREE_SCAN = 500;

/** Sessions whose spans are on one page of a timeline. */
export const TIMELINE_SESSIONS = 200;
/** With so many spans a page is full. */
export const TIMELINE_SPANS = 5_000;

/** Runs of AG-UI clients that wait for a person and whose place is kept; the client of another begins where it is. */
export const MAX_PAUSED_RUNS = 1_000;

/** Bytes buffered for an AG-UI client that does not read. Beyond that it is disconnected, and the run continues without it. */
export const MAX_UNREAD_BYTES = 8 * 1024 * 1024;

/** What failed longer ago than this is history and waits for nobody. */
export const INBOX_DAYS = 7;

/** Failed and cut-off delegations that the inbox looks at, newest first. */
export const INBOX_SCAN = 200;

/** Followers of events at once. Each holds a connection and little more; beyond this the file handles run out first. */
export const MAX_FOLLOWERS = 4_096;

/** Bytes that wait for one follower before it is told that it is too slow: a thousand such hold 128 MB at worst. */
export const FOLLOWER_BUFFER_BYTES = 128 * 1024;

/** A follower that takes nothing for this long is gone or stuck; it can connect again and goes on where it was. */
export const FOLLOWER_STALL_MS = 60_000;

/** A token that could not be looked up by then lets nobody in: a record that hangs would hold every request. */
export const TOKEN_LOOKUP_MS = 5_000;

/** How often an open stream of the MCP server looks whether its token still counts. */
export const TOKEN_CHECK_MS = 1_000;

/** A link that signs a browser in is opened at once, or not at all. */
export const SIGN_IN_LINK_MS = 60_000;

/** A browser stays signed in for a week. */
export const BROWSER_SESSION_MS = 7 * 24 * 60 * 60 * 1_000;

/** A shared link is good for a day unless it says otherwise, and for a quarter of a year at most. */
export const SHARE_SECONDS = 24 * 60 * 60;
export const MAX_SHARE_SECONDS = 90 * 24 * 60 * 60;

/** Shorter than the minute after which common proxies close a quiet connection. */
export const HEARTBEAT_MS = 15_000;

/** Clients connect again after a second: soon for a person, and no storm when the daemon restarts. */
export const SSE_RETRY_MS = 1_000;

/** An answer is kept for a day under its Idempotency-Key: longer than any client goes on asking. */
export const IDEMPOTENCY_MS = 24 * 60 * 60 * 1_000;
/** A request that is carried out for longer than this by a daemon that hangs may be carried out by another. */
export const IDEMPOTENCY_HELD_MS = 5 * 60 * 1_000;
export const IDEMPOTENCY_SWEEP_MS = 60 * 60 * 1_000;

/** Smaller bodies fit one packet; packing them costs more than it saves. */
export const GZIP_MIN_BYTES = 1_400;

/** No limit: by default the daemon serves one user on one machine. The operator of a shared one sets it. */
export const RATE_LIMIT_PER_SECOND = 0;

/** Requests are counted over this time. */
export const RATE_WINDOW_MS = 5_000;

/** So often daemons that share a record tell each other what they counted. */
export const COUNTS_EXCHANGE_MS = 500;

/** A delivery takes at most this long, from the name lookup to the response headers. A receiver that needs longer should answer first. */
export const WEBHOOK_TIMEOUT_MS = 10_000;

/** Waits between attempts: a restart of the receiver is bridged in seconds, a broken night in hours. */
export const WEBHOOK_RETRY_MS: readonly number[] = [5, 30, 120, 600, 3_600, 21_600, 86_400].map(
  (seconds) => seconds * 1_000,
);

/** Requests to receivers at once: of one daemon; and of all daemons, of one tenant and of one webhook. */
export const WEBHOOK_PARALLEL = 64;
export const WEBHOOK_PER_TENANT = 8;
export const WEBHOOK_PER_RECEIVER = 4;

/** Informational responses (1xx) before the response to a delivery. A receiver that sends more is disconnected. */
export const WEBHOOK_MAX_INFORMATIONAL = 8;

/** Events that concern no webhook are read again after a crash at worst so often. */
export const WEBHOOK_CURSOR_EVERY = 500;

/** A daemon that did not say for so long that it is there is not asked what its sessions are saying. */
export const PEER_MS = 30_000;

/** So often a daemon that is listened to looks for others that could not be reached before. */
export const PEER_LOOK_MS = 2_000;

export const DEFAULT_PAGE = 50;
export const MAX_PAGE = 1_000;

export const FOLDER_MODE = 0o700;
export const FILE_MODE = 0o600;

/** Characters of log lines that wait for the disk. More are dropped, and counted. */
export const LOG_MAX_BUFFER = 1024 * 1024;

/** How often the event loop is looked at, the delay that is told, and for how long `/readyz` tells it. */
export const LOOP_TICK_MS = 500;
export const LOOP_DELAY_MS = 1_000;
export const LOOP_TOLD_MS = 60_000;

/** How long `/readyz` waits for the record. A probe must get an answer also while the record gives none. */
export const RECORD_PROBE_MS = 2_000;

/** A daemon that is started for somebody who waits listens by then, or something is wrong. */
export const START_LIMIT_MS = 30_000;

/** Below this the disk counts as full: a session could not even be created. */
export const MIN_FREE_BYTES = 1024 * 1024;

/** A daemon that has not said within this how it is does not answer. */
export const HEALTH_ANSWER_MS = 5_000;

/** Folders whose settings, agents and models are held at hand. More are opened when they are needed, and then some are closed. */
export const MAX_OPEN_HOSTS = 32;

/** What nobody has asked for as long as this is not in somebody's hands any more. */
export const HOST_UNUSED_MS = 60_000;
