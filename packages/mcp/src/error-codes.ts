import { ACP_ERROR_CODES, type ReexecutionSafety } from '@amplifier/host';

/** Refusals of this entry point alone. They come as tool errors: nothing ran. Codes are stable. */
export const MCP_ERROR_CODES = {
  INVALID_INPUT: ['The call cannot be carried out as it is; the message names the input.', 'none'],
  UNKNOWN_ROLE: ['No role has this name. `list_roles` lists those there are.', 'none'],
  TOO_MANY_JOBS: ['As many delegations run as this server allows. Wait for one, or cancel one.', 'safe'],
  JOB_NOT_FOUND: ['No job has this id. `list_jobs` lists those there are.', 'none'],
  JOB_NOT_FINISHED: ['The job has no result yet. Wait for it with `wait_job`.', 'none'],
  JOB_RUNNING: ['The job runs at this moment, so it cannot be continued. Wait for it or cancel it.', 'none'],
  JOB_UNREADABLE: ['The folder of the job is damaged.', 'none'],
  SAFETY_MODE_WIDER: ['The operator of the server allows less than the mode that was asked for.', 'none'],
  PROPOSAL_NOT_FOUND: ['No proposal has this id. `list_proposals` lists those there are.', 'none'],
  PROPOSAL_NOT_WAITING: ['The proposal has been applied or undone, so it waits for nobody.', 'none'],
  PROPOSAL_ACTS_LATER: [
    'The proposal changes files that other programs act by later; a person applies or undoes it.',
    'none',
  ],
  APPLY_NOT_UNDOABLE: ['The proposal is not applied, so there is nothing to undo.', 'none'],
  INTERNAL: ['A fault of ours. The log of the server has the details.', 'ambiguous'],
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
  NO_MODEL: ['No provider can be used: none has credentials.', 'safe'],
  PROVIDER_UNKNOWN: ['No usable provider has this name, or none offers this model.', 'safe'],
  ROLE_UNMET: ['The role leads to no model that is available.', 'safe'],
  STRICT_PREFERENCE: ['None of the preferred models is available, and nothing else was allowed.', 'safe'],
  ENGINE_UNKNOWN: ['Nothing here runs this kind of agent.', 'safe'],
  AGENT_INVALID: ['The agent was found, but its file cannot be used.', 'none'],
  CAPABILITY_MISSING: ['This installation lacks something the call needs.', 'none'],
  SESSION_BUSY: ['The session is running already.', 'safe'],
  SESSION_CORRUPT: ['The session exists, but its record is damaged.', 'none'],
  ...ACP_ERROR_CODES,
} as const satisfies Record<string, readonly [string, ReexecutionSafety]>;

/** Failures whose safety depends on how far the run had come: see `judgeReexecution`. */
export const OBSERVED_ERROR_CODES = {
  LIMIT_REACHED: 'A limit of time, turns, tokens, cost or depth ended the run.',
  STALLED: 'Nothing moved for too long.',
  EMPTY_ANSWER: 'The model ended its turn without saying anything.',
  CONTENT_FILTER: 'The model’s filter ended the answer.',
  CANCELLED: 'Somebody asked for the delegation to stop.',
  INTERRUPTED: 'The server died, or was shut down, in the middle of the run. `continue_job` finishes it.',
  NEEDS_INPUT: 'The agent asks something. `continue_job` with the answer goes on.',
  EXECUTION_FAILED: 'The run failed; the message says how.',
} as const;
