/** Values of a delegation request, for programs that list them before they load anything else. */

export const CONTEXT_DEPTHS = ['none', 'recent', 'summary', 'all'] as const;
export const CONTEXT_SCOPES = ['conversation', 'agents', 'full'] as const;
export const ISOLATIONS = ['none', 'worktree', 'copy'] as const;

/** `whole`: the answer as it is, cut where it is too long. `summary`: the child is asked to write it to fit. */
export const HAND_BACKS = ['whole', 'summary'] as const;

/** The least `max_result`: less would say nothing. */
export const MIN_RESULT = 200;
