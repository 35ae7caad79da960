/** Seconds a delegation may take when neither call nor settings say: long enough for real work, short enough to notice. */
export const DEFAULT_TIMEOUT_S = 1800;

/** Some clients give a call up after 60 s of silence; a word every few seconds keeps all known ones waiting. */
export const HEARTBEAT_MS = 5000;

/** Progress that is told sooner than this after the last would only be noise. */
export const PROGRESS_GAP_MS = 250;

/** Characters of one progress message: a line of a status bar. */
export const PROGRESS_CHARACTERS = 200;

/** Agents in agents: as deep as a tree of delegations may be. */
export const MAX_DEPTH = 3;

/** Delegations that run at the same time in one server. More are refused: a client that floods wants to know. */
export const MAX_RUNNING = 32;

/** Ended jobs that a server answers for without reading the record. */
export const REMEMBERED_JOBS = 100;

/** Projects held open between calls. Opening one costs a few hundred milliseconds, holding it a few megabytes. */
export const OPEN_PROJECTS = 8;

/** A project that was used less long ago stays open in any case. */
export const PROJECT_UNUSED_MS = 60_000;

/** Jobs shown by `list_jobs` unless the call asks for more. */
export const LISTED_JOBS = 50;

/** What is shown of one message of a session. */
export const SHOWN_CHARACTERS = 4_000;

/** Sessions of a project, newest first, in which jobs without a folder are looked for. */
export const SEARCHED_SESSIONS = 500;

/** Seconds `cancel_job` waits for another process to stop a job. */
export const CANCEL_WAIT_S = 10;

/** Seconds `wait_job` waits unless the call says otherwise. */
export const WAIT_S = 600;

/** Rounds of questions within one call: a person who has answered so many wants the job, not the call. */
export const QUESTION_ROUNDS = 100;

/** Milliseconds a person has for one question. The session's own limit for approvals is what usually ends it. */
export const QUESTION_MS = 600_000;

/** Characters of an answer or diff in the readable text. The structured result always holds all of it. */
export const TEXT_CHARACTERS = 60_000;

/** Characters of the notice in a result: a paragraph. The session's log has all warnings. */
export const NOTICE_CHARACTERS = 500;

/** Connections of older clients over HTTP that are remembered. One that was forgotten begins again by itself. */
export const HTTP_SESSIONS = 256;

/** Of one request over HTTP: bytes, members of objects and lists, and messages in one body. */
export const HTTP_BODY_BYTES = 4 * 1024 * 1024;
export const HTTP_BODY_MEMBERS = 50_000;
export const HTTP_BATCH = 50;
