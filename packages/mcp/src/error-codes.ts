import { ACP_ERROR_CODES, type ReexecutionSafety } from '@amplifier/host';

/** Refusals of this entry point alone. They come as tool errors: nothing ran. Codes are stable. */
export const MCP_ERROR_CODES = {
  INVALID_INPUT: ['The call is invalid; the message names the input.', 'none'],
  UNKNOWN_ROLE: ['No role has this name. `list_roles` lists the roles.', 'none'],
  TOO_MANY_JOBS: [
    'The server already runs its maximum number of delegations. Wait for one, or cancel one.',
    'safe',
  ],
  JOB_NOT_FOUND: ['No job has this id. `list_jobs` lists the jobs.', 'none'],
  JOB_NOT_FINISHED: ['The job has no result yet. Wait for it with `wait_job`.', 'none'],
  JOB_RUNNING: ['The job is running, so it cannot be continued. Wait for it or cancel it.', 'none'],
  JOB_UNREADABLE: ['The job’s folder is damaged.', 'none'],
  SAFETY_MODE_WIDER: ['The requested safety mode is wider than the operator allows.', 'none'],
  PROPOSAL_NOT_FOUND: ['No proposal has this id. `list_proposals` lists the proposals.', 'none'],
  PROPOSAL_NOT_WAITING: ['The proposal has already been applied or undone.', 'none'],
  PROPOSAL_ACTS_LATER: [
    'The proposal changes files that other programs execute later; only a person may apply or undo it.',
    'none',
  ],
  APPLY_NOT_UNDOABLE: ['The proposal has not been applied, so it cannot be undone.', 'none'],
  PATCH_TOO_LARGE: ['The proposal has more or larger changes than can be applied.', 'none'],
  PATH_CHANGED: ['The folder was replaced by another process. Nothing was changed; try again.', 'safe'],
  INTERNAL: ['An internal error. See the server log for details.', 'ambiguous'],
} as const satisfies Record<string, readonly [string, ReexecutionSafety]>;

/** What this entry point refuses by itself: its own codes, and those it shares with external agents. */
export type McpErrorCode =
  | keyof typeof MCP_ERROR_CODES
  | 'UNKNOWN_TARGET'
  | 'WORKSPACE_NOT_TRUSTED'
  | 'MAX_DEPTH_EXCEEDED'
  | 'RESUME_FAILED';

/**
 * Failures of what lies below this entry point, where the code alone tells. They come in the result of a delegation (`ok` is
 * false), or as a tool error when they were found before anything ran. What is not named here is judged by what was seen
 * of the run.
 */
export const RUN_ERROR_CODES = {
  NO_MODEL: ['No provider is usable: none has credentials.', 'safe'],
  PROVIDER_UNKNOWN: ['No usable provider has this name, or none offers this model.', 'safe'],
  ROLE_UNMET: ['No available model serves the role.', 'safe'],
  STRICT_PREFERENCE: ['None of the preferred models is available, and no other was allowed.', 'safe'],
  ENGINE_UNKNOWN: ['This installation cannot run this kind of agent.', 'safe'],
  AGENT_INVALID: ['The agent was found, but its file is invalid.', 'none'],
  CAPABILITY_MISSING: ['This installation lacks something the call needs.', 'none'],
  SESSION_BUSY: ['The session is already running.', 'safe'],
  SESSION_CORRUPT: ['The session exists, but its record is damaged.', 'none'],
  ...ACP_ERROR_CODES,
} as const satisfies Record<string, readonly [string, ReexecutionSafety]>;

/** Failures whose safety depends on how far the run had come: see `judgeReexecution`. */
export const OBSERVED_ERROR_CODES = {
  LIMIT_REACHED: 'A limit of time, turns, tokens, cost or depth ended the run.',
  STALLED: 'The run made no progress for too long.',
  EMPTY_ANSWER: 'The model ended its turn without an answer.',
  CONTENT_FILTER: 'The model’s content filter ended the answer.',
  CANCELLED: 'The delegation was cancelled.',
  INTERRUPTED: 'The server died or was shut down during the run. `continue_job` finishes it.',
  NEEDS_INPUT: 'The agent asks a question. Call `continue_job` with the answer.',
  EXECUTION_FAILED: 'The run failed; the message says how.',
} as const;
