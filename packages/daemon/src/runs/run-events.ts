import type { JsonObject } from '@amplifier/core';
import type { NewEvent } from '@amplifier/sessions';

/** A run was taken on. It is on disk before the client hears of it. */
export const RUN_QUEUED = 'run:queued';
/** A run begins, or goes on after the daemon was restarted: then `attempt` is higher than 1. */
export const RUN_STARTED = 'run:started';
/** A run is over. Exactly one for each run, whatever crashes. */
export const RUN_ENDED = 'run:ended';

/** Facts about the runs of a session, in its own events log, in this order. */
export const RUN_EVENTS: readonly string[] = [RUN_QUEUED, RUN_STARTED, RUN_ENDED];

/**
 * A question of a session waits for an answer: `id`, `kind` (`approval` or `question`), `prompt`, `options`, `agent`. It stands in
 * the log of the session that asks, which may be a child of the one that runs.
 */
export const APPROVAL_ASKED = 'question:asked';
/** It was answered and the answer was acted on: `id`, `answer`. */
export const APPROVAL_ANSWERED = 'question:answered';
/** Nobody waits for the answer any more: `id`, `why`. */
export const APPROVAL_CLOSED = 'question:closed';

/** Facts about the approvals and questions of a session. */
export const APPROVAL_EVENTS: readonly string[] = [APPROVAL_ASKED, APPROVAL_ANSWERED, APPROVAL_CLOSED];

/** An event of a run, or of one claim of it. Its id is made from that, so that each fact is kept once however often it is written. */
export function runEvent(name: string, run_id: string, data: JsonObject, token?: number): NewEvent {
  const fact = name.slice(name.indexOf(':') + 1);
  const id = token === undefined ? `${run_id}:${fact}` : `${run_id}:${fact}:${token}`;
  return { name, id, data: { run_id, ...data } };
}
