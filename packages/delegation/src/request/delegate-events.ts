import type { JsonObject } from '@amplifier/core';
import { eventPages, type SessionLog, type SessionStore } from '@amplifier/sessions';
import type { LaunchRecord } from '../plan/launch-record.js';
import type { Parent } from '../turn/parent.js';
import type { Outcome } from './outcome.js';

/** An event about a delegation. `id` makes sure that each fact is kept once. */
export interface DelegateEvent {
  name: string;
  id: string;
  data: JsonObject;
}

function shared(launch: LaunchRecord, parent_session_id: string | null, call: CallIds): JsonObject {
  return {
    sub_session_id: launch.session_id,
    session_id: launch.session_id,
    parent_session_id,
    tool_call_id: call.tool_call_id ?? null,
    parallel_group_id: call.parallel_group_id ?? null,
    metadata: null,
  };
}

export interface CallIds {
  tool_call_id?: string | null | undefined;
  parallel_group_id?: string | null | undefined;
}

export function spawnedEvent(launch: LaunchRecord): DelegateEvent {
  const { context, model, agent } = launch;
  return {
    name: DELEGATE_AGENT_SPAWNED,
    id: `${launch.session_id}:1:begin`,
    data: {
      agent: agent.name,
      ...shared(launch, launch.parent_id, launch),
      context_depth: context.depth,
      context_scope: context.scope,
      model_role: model.requested.model_role,
      provider_preferences: model.requested.provider_preferences,
    },
  };
}

export function resumedEvent(
  launch: LaunchRecord,
  turn: number,
  parent_session_id: string | null,
  call: CallIds,
): DelegateEvent {
  return {
    name: DELEGATE_AGENT_RESUMED,
    id: `${launch.session_id}:${turn}:begin`,
    data: shared(launch, parent_session_id, call),
  };
}

/** Exactly one for each turn of a child. The agent's name is on those of the first turn. */
export function terminalEvent(
  launch: LaunchRecord,
  turn: number,
  outcome: Outcome,
  parent_session_id: string | null,
  call: CallIds,
): DelegateEvent {
  const data: JsonObject = {
    status: outcome.status,
    ...(turn === 1 ? { agent: launch.agent.name } : {}),
    ...shared(launch, parent_session_id, call),
  };
  const id = `${launch.session_id}:${turn}:end`;
  if (outcome.status === 'completed' || outcome.status === 'needs_input') {
    data.success = outcome.status === 'completed';
    return { name: DELEGATE_AGENT_COMPLETED, id, data };
  }
  if (outcome.status === 'cancelled') {
    data.by = outcome.by;
    return { name: DELEGATE_AGENT_CANCELLED, id, data };
  }
  data.error = outcome.error.message;
  data.error_code = outcome.error.code;
  return { name: DELEGATE_ERROR, id, data };
}

/**
 * Puts events into the log of a session that was found after a crash, each once: an event that got there before the
 * crash is left alone. Returns those that are new.
 */
export async function keepOnce(
  events: readonly DelegateEvent[],
  log: Pick<SessionLog, 'session_id' | 'appendEvents'>,
  store: SessionStore,
): Promise<DelegateEvent[]> {
  if (events.length === 0) return [];
  const missing = await missingEvents(events, log.session_id, store);
  await log.appendEvents(missing.map(({ name, id, data }) => ({ name, id, data })));
  return missing;
}

/** The events that are not in the log of a session after its event of this number. */
export async function missingEvents<E extends { id?: string | undefined }>(
  events: readonly E[],
  session_id: string,
  store: SessionStore,
  after = 0,
): Promise<E[]> {
  const known = new Set<string>();
  for await (const page of eventPages(store, session_id, { after })) for (const { id } of page) known.add(id);
  return events.filter(({ id }) => id === undefined || !known.has(id));
}

/** Whoever is told of an event: the listeners of a session, and its log. */
type Told = Pick<Parent, 'hooks' | 'log'>;

/** Tells the parent's listeners, and keeps the fact in the parent's log before anything that follows from it. */
export async function announce({ name, id, data }: DelegateEvent, parent: Told | null): Promise<void> {
  const kept = parent?.log?.keep([{ name, id, data }]);
  kept?.catch(() => {});
  await parent?.hooks?.emit(name, data);
  await kept;
}

/**
 * The same for a turn that begins: the fact takes its place in the record at once, before anything the child writes, and nothing
 * waits until it is on disk. A crash in between is mended from the child's own record.
 */
export async function announceBeginning(
  { name, id, data }: DelegateEvent,
  parent: Told | null,
): Promise<void> {
  parent?.log?.append({ name, id, data });
  await parent?.hooks?.emit(name, data);
}

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
