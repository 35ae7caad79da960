/**
 * May the task be given to somebody else after this failure?
 * `safe`: the prompt never reached a model or agent. `duplicate_cost`: it did, and nothing but money was spent. `ambiguous`:
 * nobody can say. `side_effected`: something was changed. `none`: there was nothing to run; mend the call.
 */
export const REEXECUTION_SAFETY = ['safe', 'duplicate_cost', 'ambiguous', 'side_effected', 'none'] as const;
export type ReexecutionSafety = (typeof REEXECUTION_SAFETY)[number];

/** Every way a turn of an external agent fails, with one sentence each. Codes are stable. */
export const ACP_ERROR_CODES = {
  UNKNOWN_TARGET: ['No agent has this name; the message suggests similar names.', 'none'],
  ROSTER_INVALID: ['The configuration of an external agent is invalid.', 'none'],
  MAX_DEPTH_EXCEEDED: ['Agents are nested too deeply.', 'none'],
  WORKSPACE_NOT_TRUSTED: ['The mode changes files, and the folder is not trusted.', 'none'],
  ACP_SPAWN_FAILED: ['The agent is not installed, or could not be started.', 'safe'],
  ACP_HANDSHAKE_FAILED: ['The agent started but did not become ready for a prompt.', 'safe'],
  AUTH_REQUIRED: ['The agent needs a login first.', 'safe'],
  MODEL_UNAVAILABLE: ['The agent does not offer the requested model.', 'safe'],
  RESUME_FAILED: ['The session cannot be continued; the message says why.', 'safe'],
  ACP_REFUSED: ['The agent’s model refused.', 'duplicate_cost'],
  ACP_EMPTY_ANSWER: ['The agent ended its turn without an answer.', 'duplicate_cost'],
  ACP_ERROR_ANSWER: ['The agent’s answer was an error message from its model provider.', 'duplicate_cost'],
  ACP_DENIED: ['The agent gave up after a permission was denied.', 'duplicate_cost'],
  ACP_TURN_ERROR: ['The agent failed or died during the turn.', 'ambiguous'],
  READONLY_VIOLATED: ['Files changed although the agent is read-only.', 'side_effected'],
  APPLY_CONFLICT: [
    'The agent’s changes conflict with the current files; nothing was applied.',
    'side_effected',
  ],
} as const satisfies Record<string, readonly [string, ReexecutionSafety]>;

export type AcpErrorCode = keyof typeof ACP_ERROR_CODES;
