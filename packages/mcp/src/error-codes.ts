/**
 * May the task be given to somebody else after this failure?
 * `safe`: the prompt never reached a model or agent. `duplicate_cost`: it did, and nothing but money was spent.
 * `ambiguous`: nobody can say. `side_effected`: something was changed. `none`: there was nothing to run; mend the call.
 */
export const REEXECUTION_SAFETY = ['safe', 'duplicate_cost', 'ambiguous', 'side_effected', 'none'] as const;
export type ReexecutionSafety = (typeof REEXECUTION_SAFETY)[number];

/** Refusals of this door. They come as tool errors: nothing ran. Codes are stable. */
export const MCP_ERROR_CODES = {
  INVALID_INPUT: ['The call cannot be carried out as it is; the message names the input.', 'none'],
  UNKNOWN_TARGET: ['No agent has this name. `capabilities` lists those there are.', 'none'],
  UNKNOWN_ROLE: ['No role has this name. `list_roles` lists those there are.', 'none'],
  WORKSPACE_NOT_TRUSTED: ['The mode changes files, and nobody said that the folder may be changed.', 'none'],
  MAX_DEPTH_EXCEEDED: ['Agents have called agents too many times in a row.', 'none'],
  TOO_MANY_JOBS: ['As many delegations run as this server allows. Wait for one, or cancel one.', 'safe'],
  RESUME_FAILED: ['The session cannot be gone on with; the message says why.', 'safe'],
  JOB_NOT_FOUND: ['No job has this id. `list_jobs` lists those there are.', 'none'],
  JOB_NOT_FINISHED: ['The job has no result yet. Wait for it with `wait_job`.', 'none'],
  JOB_RUNNING: ['The job runs at this moment, so it cannot be continued. Wait for it or cancel it.', 'none'],
  JOB_UNREADABLE: ['The folder of the job is damaged.', 'none'],
  INTERNAL: ['A fault of ours. The log of the server has the details.', 'ambiguous'],
} as const satisfies Record<string, readonly [string, ReexecutionSafety]>;

export type McpErrorCode = keyof typeof MCP_ERROR_CODES;

/**
 * Failures of what lies below this door, where the code alone tells. They come in the result of a delegation (`ok` is
 * false), or as a tool error when they were found before anything ran. What is not named here is judged by what was seen
 * of the run.
 */
export const RUN_ERROR_CODES = {
  NO_MODEL: ['No provider can be used: none has credentials.', 'safe'],
  PROVIDER_UNKNOWN: ['No usable provider has this name, or none offers this model.', 'safe'],
  ROLE_UNMET: ['The role leads to no model that can be had.', 'safe'],
  MODEL_UNAVAILABLE: ['The agent does not offer the model that was asked for.', 'safe'],
  STRICT_PREFERENCE: ['None of the preferred models is available, and nothing else was allowed.', 'safe'],
  ENGINE_UNKNOWN: ['Nothing here runs this kind of agent.', 'safe'],
  AGENT_INVALID: ['The agent was found, but its file cannot be used.', 'none'],
  CAPABILITY_MISSING: ['This installation lacks something the call needs.', 'none'],
  SESSION_BUSY: ['The session is running already.', 'safe'],
  SESSION_CORRUPT: ['The session exists, but its record is damaged.', 'none'],
  ACP_SPAWN_FAILED: ['The agent is not installed, or could not be started.', 'safe'],
  ACP_HANDSHAKE_FAILED: ['The agent started and did not get as far as taking a prompt.', 'safe'],
  AUTH_REQUIRED: ['The agent wants a login first.', 'safe'],
  ACP_REFUSED: ['The agent’s model would not do it.', 'duplicate_cost'],
  ACP_EMPTY_ANSWER: ['The agent ended its turn without saying anything.', 'duplicate_cost'],
  ACP_ERROR_ANSWER: ['The agent’s answer was an error message of its model provider.', 'duplicate_cost'],
  ACP_DENIED: ['The agent gave up after it was refused what it wanted to do.', 'duplicate_cost'],
  ACP_TURN_ERROR: ['The agent failed, or died, in the middle of the turn.', 'ambiguous'],
  READONLY_VIOLATED: ['Files changed although the agent may only read.', 'side_effected'],
  APPLY_CONFLICT: [
    'The agent’s changes do not fit the tree as it is now; nothing was applied.',
    'side_effected',
  ],
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
