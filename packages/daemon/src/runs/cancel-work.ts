import type { Delegator } from '@amplifier/delegation';
import { isTerminal, type RunQueue, type SessionStore } from '@amplifier/sessions';
import { RUN_KIND } from './run-record.js';

export interface StopWish {
  mode: 'graceful' | 'immediate';
  /** Also children in the background. Those the turn waits for stop with it. */
  cascade: boolean;
  by: string;
}

/**
 * Stops the turn of a session and what it launched, whether or not it runs here. Children of the same session that other runs
 * delegated to have nothing to do with it and go on.
 */
export async function cancelWork(
  { store, queue }: { store: SessionStore; queue: RunQueue },
  { control, live }: Delegator,
  session_id: string,
  { mode: level, cascade, by }: StopWish,
  /** Only this turn of it, and nothing where another has begun since. */
  turn?: number,
): Promise<void> {
  const told = await control.cancel(session_id, {
    level,
    by,
    subtree: false,
    ...(turn === undefined ? {} : { turn }),
  });
  if (turn !== undefined && told.length === 0) return;
  for (const child of cascade ? await store.children(session_id) : []) {
    if (isTerminal(child.status) && !live.has(child.session_id)) continue;
    const run = child.tool_call_id === null ? null : await queue.get(child.tool_call_id);
    if (run?.kind !== RUN_KIND) await control.cancel(child.session_id, { level, by });
  }
}
