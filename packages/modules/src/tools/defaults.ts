/** Limits and defaults of the tools, each with its reason. */

/** A page longer than this drowns the conversation; the model asks for the next part. */
export const WEB_TEXT_CHARACTERS = 50_000;

/** Enough for any readable page; more is a download. */
export const WEB_MAX_BYTES = 5 * 1024 * 1024;

/** HTML that is converted to text, in characters: nothing else runs meanwhile. */
export const WEB_HTML_CHARACTERS = 200 * 1024;

/** A page that takes longer is not worth the model's waiting. */
export const WEB_TIMEOUT_MS = 30_000;

/** Browsers stop at 20; honest pages need two or three. */
export const WEB_MAX_REDIRECTS = 5;

export const WEB_SEARCH_RESULTS = 10;

/** Lines of one read: a screenful for a model. */
export const READ_LINES = 2000;

/** Longer lines are data, not text to read. */
export const READ_LINE_CHARACTERS = 2000;

/** The most text one read returns, about 60,000 tokens. */
export const READ_MAX_BYTES = 256 * 1024;

/** A file is scanned this far for the lines asked for; counting on through gigabytes helps nobody. */
export const READ_SCAN_BYTES = 256 * 1024 * 1024;

/** A NUL byte this early means that the file is not text; git looks as far. */
export const BINARY_PROBE_BYTES = 8000;

/** An edit holds the file in memory twice. */
export const EDIT_MAX_BYTES = 10 * 1024 * 1024;

/** Edits of one call: each reads the whole file, and nothing else runs meanwhile. */
export const EDIT_MAX_EDITS = 200;

/** Entries of one listing. */
export const LIST_ENTRIES = 1000;
export const LIST_DEPTH = 10;

/** Most builds and tests end within it; a longer one says so or runs in the background. */
export const BASH_TIMEOUT_S = 120;
export const BASH_MAX_TIMEOUT_S = 3600;

/** What a model can still read of one stream: about 8,000 tokens. All of it is in a file. */
export const BASH_OUTPUT_BYTES = 32 * 1024;

/** New output of a background process that is kept until it is read. */
export const BACKGROUND_OUTPUT_BYTES = 64 * 1024;

export const BACKGROUND_PROCESSES = 16;

/** A parallel build of a large project stays below; a fork bomb passes it within a moment. */
export const BASH_MAX_PROCESSES = 512;

/** How often the processes of a command are counted. */
export const PROCESS_COUNT_INTERVAL_MS = 100;

/** Files or lines of one search; more says that the pattern is too wide. */
export const SEARCH_LIMIT = 200;
export const SEARCH_MAX_LIMIT = 5000;

/** A tree that takes longer is not a project but a disk. */
export const SEARCH_TIMEOUT_MS = 60_000;

/** Larger files are data or generated; their lines would drown the result. */
export const SEARCH_MAX_FILE_BYTES = 10 * 1024 * 1024;

/** Address space of ripgrep, in KiB. It needs a tenth of it in a tree of a million files. */
export const RIPGREP_MAX_KIB = 1024 * 1024;

/** A .gitignore of more is not applied. Those of large projects have some hundred lines. */
export const IGNORE_FILE_MAX_BYTES = 1024 * 1024;

/** A matching line longer than this is shown in part. */
export const SEARCH_LINE_CHARACTERS = 500;

/** A program that is fetched before its first start takes this long; nobody waits for more. */
export const MCP_CONNECT_TIMEOUT_MS = 30_000;

/** A session waits this long for all its servers together. What is up later is used from then on. */
export const MCP_START_WAIT_MS = 4_000;

/** Without progress; each sign of progress starts it anew. */
export const MCP_CALL_TIMEOUT_MS = 120_000;

/** With more tools of servers than this, the model is shown only those it looks for: all are in every request. */
export const MCP_TOOLS_SHOWN = 40;

/** Tools that one search brings. */
export const MCP_TOOLS_FOUND = 8;

/** What a model can read of one answer, about 25,000 tokens. */
export const MCP_ANSWER_CHARACTERS = 100_000;

/** One message of a server. A model reads a hundredth of it. */
export const MCP_MESSAGE_BYTES = 10 * 1024 * 1024;

/** A server describes its own tools, in every request to the model: this much may it say of each. */
export const MCP_DESCRIPTION_CHARACTERS = 4000;

/** Characters and members of the schema of one tool, which is in every request as well. */
export const MCP_SCHEMA_SIZE = 16_000;

/** With more than this to say of their tools altogether, about 8,000 tokens, the model is shown only those it looks for. */
export const MCP_TOOLS_CHARACTERS = 32_000;

/** Tools of one server that are kept at most. */
export const MCP_TOOLS = 1000;

/** Model vendors take no longer tool names. */
export const TOOL_NAME_CHARACTERS = 64;

/** A skill is read into the conversation whole; longer ones belong into files beside it. */
export const SKILL_MAX_BYTES = 256 * 1024;

/** Of what a skill says it is for; as much as the format of skills asks for at most. */
export const SKILL_PURPOSE_CHARACTERS = 1024;

/** Every request to the model carries the list of skills: this much of each description is in it. */
export const SKILL_DESCRIPTION_CHARACTERS = 300;

/** Files beside a skill that are named when it is loaded. */
export const SKILL_FILES = 100;

/** The largest image that the model vendors take. */
export const IMAGE_MAX_BYTES = 5 * 1024 * 1024;

/** Files of which a session keeps in mind what it saw; and how much of each, to say what changed. */
export const SEEN_FILES = 500;
export const SEEN_TEXT_BYTES = 256 * 1024;
