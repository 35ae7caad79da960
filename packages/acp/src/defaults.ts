/**
 * The agent's session is remembered beside the prompt, but not in the way of a quick answer: a turn that dies within this time
 * has nothing to continue with.
 */
export const REMEMBER_MS = 50;

/** From the start of the process to the moment it takes a prompt. Most agents need 1 to 5 s; a cold disk doubles that. */
export const HANDSHAKE_MS = 30_000;

/** The largest single message of an agent. A whole file in a tool result fits; an agent gone mad does not fill the memory. */
export const MAX_FRAME_BYTES = 32 * 1024 * 1024;

/** What is kept of an agent's error output: enough for a stack trace. */
export const STDERR_BYTES = 16 * 1024;

/** How much of it is told to a person who reads that the agent failed. */
export const STDERR_TOLD_CHARACTERS = 600;

/** Between the request to cancel and taking the process away. Real agents answer a cancel within 0.1 s. */
export const CANCEL_GRACE_MS = 2_000;

/** After the end of its input an agent may put its affairs in order. The slowest known one takes 2 s. */
export const CLOSE_GRACE_MS = 3_000;

/** So long an agent whose connection closed may take to end, so that its exit code can be told. */
export const EXIT_CODE_MS = 15_000;

/** After loading a session: no update for this long means that the agent has replayed all it will. */
export const REPLAY_QUIET_MS = 60;

/** An agent that has begun to replay late gets a longer pause to be done. */
export const REPLAY_PAUSE_MS = 300;

/** The most a replay may take. */
export const REPLAY_MOST_MS = 10_000;

/** How many earlier messages are told again to an agent that lost its session. */
export const RETOLD_MESSAGES = 40;

/** So many failures of one agent within the window open its circuit breaker: it is skipped as an alternate. */
export const BREAKER = { failures: 3, window_ms: 120_000, open_ms: 60_000 } as const;

/** Agents kept running after a turn, and for how long. A process of an agent takes 100 to 400 MB. */
export const POOL = { size: 2, idle_ms: 60_000 } as const;

/** Agents that call agents that call agents: three levels are enough for any plan. */
export const MAX_DEPTH = 3;

/** The most a terminal of an agent keeps of its output, whatever limit the agent names. */
export const TERMINAL_OUTPUT_BYTES = 1024 * 1024;

/** The most one read of a file by an agent returns. */
export const FILE_READ_BYTES = 8 * 1024 * 1024;

/** How far a file is scanned for the lines that an agent asks for. */
export const FILE_SCAN_BYTES = 256 * 1024 * 1024;

/** Terminals one session of an agent may have open at a time. */
export const MAX_TERMINALS = 16;

/** Sub-agents of one turn that become nodes of the tree. An agent that announces more has lost count. */
export const MAX_ANNOUNCED_AGENTS = 256;

/**
 * Sub-agents may work on when their agent has answered. They are waited for while something is heard of them: a model may think for
 * a minute without a word. One of whom the agent never said that it works gets less.
 */
export const SUB_AGENT_SILENCE_MS = { working: 60_000, unsaid: 5_000 } as const;

/** Seconds a person has to answer a permission request. */
export const PERMISSION_SECONDS = 300;

/** What is kept of the frames of one turn. A long turn of a talkative agent has some 2 MB. */
export const JOURNAL_BYTES = 8 * 1024 * 1024;

/** Journals of frames that are kept, one for each turn; older ones are removed. */
export const JOURNALS_KEPT = 200;

/** Frames of the handshake that wait for the turn that will keep them: more is no handshake. */
export const EARLY_FRAMES = { count: 100, characters: 64 * 1024 } as const;

/** Entries compared to see that a folder was left alone when no sandbox holds the agent. Beyond it nothing is claimed. */
export const FINGERPRINT_ENTRIES = 200_000;

/** Entries of them that are looked at before others get their turn: some 3 ms. */
export const FINGERPRINT_SLICE = 500;

/** Characters of what one tool of an agent gave that are kept: as much as of a whole answer. */
export const MAX_OUTPUT_CHARACTERS = 1_000_000;
