import { type Clock, isoTime, newTraceId, rootSessionId, subSessionId, ulidSource } from '@amplifier/core';
import type { LaunchRecord } from '../launch-record.js';

const nextUlid = ulidSource();

/**
 * The launch record of a session that begins with another's conversation: the same agent, plan, model and rights, beside the
 * one it was made from, under the same parent. A fork of a root is a root.
 */
export function forkRecord(source: LaunchRecord, clock: Clock): LaunchRecord {
  const fresh = {
    tool_call_id: null,
    parallel_group_id: null,
    background: false,
    created_at: isoTime(clock),
  };
  if (source.parent_id === null) {
    const session_id = rootSessionId(nextUlid());
    return { ...source, ...fresh, session_id, root_id: session_id, trace_id: newTraceId() };
  }
  const { parent_id, trace_id, agent } = source;
  const session_id = subSessionId({ session_id: parent_id, trace_id }, agent.name ?? '');
  return { ...source, ...fresh, session_id };
}
