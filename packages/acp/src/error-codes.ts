/**
 * May the task be given to somebody else after this failure?
 * `safe`: the prompt never reached a model or agent. `duplicate_cost`: it did, and nothing but money was spent. `ambiguous`:
 * nobody can say. `side_effected`: something was changed. `none`: there was nothing to run; mend the call.
 */
export const REEXECUTION_SAFETY = ['safe', 'duplicate_cost', 'ambiguous', 'side_effected', 'none'] as const;
export type ReexecutionSafety = (typeof REEXECUTION_SAFETY)[number];

/** Every way a turn of an external agent fails, with one sentence each. Codes are stable. */
export const ACP_ERROR_CODES = {
  UNKNOWN_TARGET: ['No agent has this name; the message names those that come near.', 'none'],
  ROSTER_INVALID: ['The configuration of an external agent cannot be used.', 'none'],
  MAX_DEPTH_EXCEEDED: ['Agents have called agents too many times in a row.', 'none'],
  WORKSPACE_NOT_TRUSTED: ['The mode changes files, and nobody said that the folder may be changed.', 'none'],
  ACP_SPAWN_FAILED: ['The agent is not installed, or could not be started.', 'safe'],
  ACP_HANDSHAKE_FAILED: ['The agent started and did not get as far as taking a prompt.', 'safe'],
  AUTH_REQUIRED: ['The agent wants a login first.', 'safe'],
  MODEL_UNAVAILABLE: ['The agent does not offer the model that was asked for.', 'safe'],
  RESUME_FAILED: ['The session cannot be continued; the message says why.', 'safe'],
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

export type AcpErrorCode = keyof typeof ACP_ERROR_CODES;
