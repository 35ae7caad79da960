import type { LaunchRecord } from '@amplifier/delegation';
import { newTraceId, rootSessionId, type SessionStore, ulidSource } from '@amplifier/sessions';
import { HostError } from './host-error.js';

const nextUlid = ulidSource();

/**
 * A new root that begins with the conversation of another session, up to the end of `turn`. Its launch record is that of the
 * source under its own id: what the source may do and runs on, the fork may do and runs on.
 */
export async function forkSession(store: SessionStore, session_id: string, turn?: number): Promise<string> {
  const source = (await store.document(session_id, 'launch')) as LaunchRecord | null;
  if (source === null) {
    throw new HostError(`Session ${session_id} has no launch record, so nothing can go on from it.`, {
      code: 'NOT_RESUMABLE',
      origin: session_id,
    });
  }
  const own = rootSessionId(nextUlid());
  const trace_id = newTraceId();
  const launch: LaunchRecord = {
    ...source,
    session_id: own,
    parent_id: null,
    root_id: own,
    trace_id,
    depth: 0,
    tool_call_id: null,
    parallel_group_id: null,
    background: false,
  };
  const log = await store.fork(session_id, {
    ...(turn === undefined ? {} : { turn }),
    session: { session_id: own, trace_id, extra: { turn: 0 } },
    contents: { documents: { launch: { ...launch } } },
  });
  await log.close();
  return own;
}
