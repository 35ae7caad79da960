import { AmplifierError, type ErrorDetails } from '@amplifier/core';

/** A delegation is refused before anything ran. What happens to a child that did run is an Outcome, never an error. */
export class DelegationError extends AmplifierError {
  declare readonly code: DelegationErrorCode;

  constructor(message: string, details: ErrorDetails & { code: DelegationErrorCode }) {
    super(message, details);
  }
}

/** Every way a delegation is refused or fails by our own doing, with one sentence for each. Codes are stable. */
export const DELEGATION_ERROR_CODES = {
  INVALID_REQUEST: 'The request is invalid; the message names the field.',
  ATTACHMENT_UNUSABLE: 'An attached file cannot be read, or has a type that models do not accept.',
  INSTRUCTION_REQUIRED: 'The instruction is empty.',
  AGENT_REQUIRED: 'Neither an agent to launch nor a session to resume was named.',
  AGENT_NOT_FOUND: 'No agent has this name.',
  AGENT_INVALID: 'The agent was found but its file is invalid.',
  AGENT_NOT_ALLOWED: 'The calling agent may not delegate to this one.',
  SELF_DELEGATION_DISABLED: 'Self-delegation is disabled.',
  SELF_DELEGATION_DEPTH_EXCEEDED: 'Self-delegation is nested too deeply.',
  RESUME_DISABLED: 'Resuming sessions is disabled.',
  SESSION_NOT_FOUND: 'There is no session to resume under this id.',
  SESSION_CORRUPT: 'The session exists but its record is damaged.',
  SESSION_BUSY: 'The session is running already.',
  SAFETY_MODE_WIDER: 'A child session cannot get more permissions than its parent gave it.',
  ISOLATION_REQUIRED: 'The mode propose always works in an isolated tree.',
  CALL_ID_REUSED: 'Two different delegations of one session used the same tool call id.',
  DELEGATION_DENIED: 'The session has no right to delegate.',
  LIMIT_REACHED: 'A limit of the tree does not allow another step.',
  ENGINE_UNKNOWN: 'No engine runs this kind of agent.',
  CAPABILITY_MISSING: 'The app did not register a capability the tool needs.',
  EMPTY_ANSWER: 'The model ended its turn without an answer.',
  SCHEMA_MISMATCH: 'The answer does not match the requested schema.',
  STRICT_PREFERENCE: 'None of the preferred models is available, and no other was allowed.',
  STALLED: 'The run made no progress for too long.',
  CANCELLED: 'The delegation was cancelled.',
  INTERRUPTED: 'The process died during the turn.',
  NEEDS_INPUT: 'The child asked a question and waits for the answer.',
  QUESTION_ANSWERED: 'The question has already been answered.',
  QUESTION_NOT_FOUND: 'The session has no such open question.',
  EXECUTION_FAILED: 'The child failed; the message says how.',
  SUMMARY_FAILED: 'The conversation could not be summarized for a child.',
} as const;

export type DelegationErrorCode = keyof typeof DELEGATION_ERROR_CODES;
