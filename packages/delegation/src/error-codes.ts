/** Every way a delegation is refused or fails by our own doing, with one sentence for each. Codes are stable. */
export const DELEGATION_ERROR_CODES = {
  INVALID_REQUEST: 'The request cannot be read; the message names the field.',
  INSTRUCTION_REQUIRED: 'There is nothing to do: the instruction is empty.',
  AGENT_REQUIRED: 'Neither an agent to launch nor a session to resume was named.',
  AGENT_NOT_FOUND: 'No agent has this name.',
  AGENT_INVALID: 'The agent was found but its file cannot be used.',
  AGENT_NOT_ALLOWED: 'The calling agent may not delegate to this one.',
  SELF_DELEGATION_DISABLED: 'Delegating to oneself is switched off.',
  SELF_DELEGATION_DEPTH_EXCEEDED:
    'A session that was made by delegating to itself may not do so again this deep.',
  RESUME_DISABLED: 'Resuming sessions is switched off.',
  SESSION_NOT_FOUND: 'There is no session to resume under this id.',
  SESSION_CORRUPT: 'The session exists but its record is damaged.',
  SESSION_BUSY: 'The session is running already.',
  SAFETY_MODE_WIDER: 'A session that works for another cannot be given more than that one gave it.',
  CALL_ID_REUSED: 'Two different delegations of one session came under the same tool call id.',
  DELEGATION_DENIED: 'The session has no right to delegate.',
  LIMIT_REACHED: 'A limit of the tree does not allow another step.',
  ENGINE_UNKNOWN: 'No engine runs this kind of agent.',
  CAPABILITY_MISSING: 'The app did not register what the tool needs.',
  EMPTY_ANSWER: 'The model ended its turn without saying anything.',
  SCHEMA_MISMATCH: 'The answer does not fit the schema that was asked for.',
  STRICT_PREFERENCE: 'None of the preferred models is available, and nothing else was allowed.',
  STALLED: 'Nothing moved for too long.',
  CANCELLED: 'Somebody asked for the delegation to stop.',
  INTERRUPTED: 'The process died in the middle of the turn.',
  NEEDS_INPUT: 'The child asked a question and waits for the answer.',
  QUESTION_ANSWERED: 'The question has been answered already.',
  QUESTION_NOT_FOUND: 'The session has no such open question.',
  EXECUTION_FAILED: 'The child failed; the message says how.',
} as const;

export type DelegationErrorCode = keyof typeof DELEGATION_ERROR_CODES;
