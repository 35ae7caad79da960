/** A child session was made. */
export const DELEGATE_AGENT_SPAWNED = 'delegate:agent_spawned';
/** A child session got another instruction. */
export const DELEGATE_AGENT_RESUMED = 'delegate:agent_resumed';
/** A child session ended with an answer. */
export const DELEGATE_AGENT_COMPLETED = 'delegate:agent_completed';
/** A child session was stopped. */
export const DELEGATE_AGENT_CANCELLED = 'delegate:agent_cancelled';
/** A delegation ended in any other way. */
export const DELEGATE_ERROR = 'delegate:error';

/** Offered on the channel `observability.events`, so that loggers find them. */
export const DELEGATE_EVENTS: readonly string[] = [
  DELEGATE_AGENT_SPAWNED,
  DELEGATE_AGENT_RESUMED,
  DELEGATE_AGENT_COMPLETED,
  DELEGATE_AGENT_CANCELLED,
  DELEGATE_ERROR,
];
