import { type Clock, isoTime, redactSecrets } from '@amplifier/core';
import type { NewSession, SessionBirth, SessionPatch } from './records.js';
import { SessionError } from './session-error.js';
import { checkSessionId, newTraceId, type RandomBytes, rootSessionId, subSessionId } from './session-ids.js';

/** Fills in what a request for a session leaves open. A child that names its parent gets an id and place below it. */
export function newBirth(
  request: NewSession,
  parent: Pick<SessionBirth, 'session_id' | 'root_id' | 'trace_id' | 'depth'> | null,
  source: { clock: Clock; ulid: () => string; random: RandomBytes },
): SessionBirth & SessionPatch {
  const { parent_id = null, agent_name = null, config = null, agent_overlay = null } = request;
  const trace_id = request.trace_id ?? parent?.trace_id ?? newTraceId(source.random);
  const session_id = checkSessionId(request.session_id ?? newId(request, trace_id, source));
  if (parent_id !== null) checkSessionId(parent_id);
  if (parent_id === session_id) {
    throw new SessionError(`Session ${session_id} cannot be its own parent.`, { code: 'INVALID_RECORD' });
  }
  return {
    session_id,
    parent_id,
    root_id: request.root_id ?? parent?.root_id ?? parent_id ?? session_id,
    trace_id,
    depth: request.depth ?? (parent ? parent.depth + 1 : parent_id === null ? 0 : 1),
    agent_name,
    tool_call_id: request.tool_call_id ?? null,
    parallel_group_id: request.parallel_group_id ?? null,
    created: isoTime(source.clock),
    project: request.project ?? null,
    working_dir: request.working_dir ?? null,
    profile_name: request.profile_name ?? null,
    config: redactSecrets(config),
    agent_overlay: redactSecrets(agent_overlay),
    forked_from: null,
    imported_from: null,
    name: request.name ?? null,
    model: request.model ?? null,
    extra: request.extra ?? {},
  };
}

function newId(
  { parent_id, agent_name }: NewSession,
  trace_id: string,
  { ulid, random }: { ulid: () => string; random: RandomBytes },
): string {
  if (parent_id == null) return rootSessionId(ulid());
  return subSessionId({ session_id: parent_id, trace_id }, agent_name ?? 'agent', random);
}
