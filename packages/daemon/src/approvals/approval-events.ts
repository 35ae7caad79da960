/**
 * A question of a session waits for an answer: `id`, `kind` (`approval` or `question`), `prompt`, `options`, `agent`. It is in
 * the log of the session that asks, which may be a child of the one that runs.
 */
export const APPROVAL_ASKED = 'question:asked';
/** It was answered and the answer was acted on: `id`, `answer`. */
export const APPROVAL_ANSWERED = 'question:answered';
/** The question was closed without an answer: `id`, `why`. */
export const APPROVAL_CLOSED = 'question:closed';

/** Facts about the approvals and questions of a session. */
export const APPROVAL_EVENTS: readonly string[] = [APPROVAL_ASKED, APPROVAL_ANSWERED, APPROVAL_CLOSED];
