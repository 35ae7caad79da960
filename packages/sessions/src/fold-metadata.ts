import { addUsage, isPlainObject, type JsonObject, NO_USAGE, Usage } from '@amplifier/core';
import type {
  SessionBirth,
  SessionEvent,
  SessionMetadata,
  SessionPatch,
  SessionStatus,
  SessionSummary,
  StatusDetail,
  TranscriptLine,
} from './records.js';
import { isTerminal } from './status.js';

/** The events that the record itself writes. */
export const RECORD_EVENTS = {
  CREATED: 'session:created',
  STATUS: 'session:status',
  UPDATED: 'session:updated',
  MAIL: 'mailbox:delivered',
  REPAIRED: 'session:repaired',
} as const;

/**
 * What a session amounts to at its birth. A fork begins with the counts of what it took over. Each member by name: spreading
 * takes several times as long, and every delegation comes by here.
 */
export function newMetadata(
  birth: SessionBirth & SessionPatch,
  base: { messages: number; turns: number } = { messages: 0, turns: 0 },
): SessionMetadata {
  return {
    version: 1,
    session_id: birth.session_id,
    parent_id: birth.parent_id,
    root_id: birth.root_id,
    trace_id: birth.trace_id,
    depth: birth.depth,
    agent_name: birth.agent_name,
    tool_call_id: birth.tool_call_id,
    parallel_group_id: birth.parallel_group_id,
    created: birth.created,
    project: birth.project ?? null,
    working_dir: birth.working_dir,
    profile_name: birth.profile_name,
    config: birth.config,
    agent_overlay: birth.agent_overlay,
    forked_from: birth.forked_from,
    imported_from: birth.imported_from,
    name: birth.name ?? null,
    model: birth.model ?? null,
    extra: birth.extra ?? {},
    status: 'created',
    interrupted: false,
    error: null,
    updated: birth.created,
    started: null,
    ended: null,
    message_count: base.messages,
    turn_count: base.turns,
    event_count: 0,
    agent_invocations: 0,
    usage: NO_USAGE,
    token_count: null,
    mailbox_cursor: 0,
  };
}

/** Lines must be in order. */
export function foldMessages(metadata: SessionMetadata, lines: readonly TranscriptLine[]): SessionMetadata {
  const folded = { ...metadata };
  countMessages(folded, lines);
  return folded;
}

/** The same in place, for the one who holds the only copy: appending must not copy everything for each line. */
export function countMessages(metadata: SessionMetadata, lines: readonly TranscriptLine[]): void {
  for (const { seq, turn, timestamp, agent, token_count, mailbox_cursor = 0 } of lines) {
    metadata.message_count = seq;
    metadata.turn_count = turn;
    if (agent) metadata.agent_invocations++;
    if (token_count !== undefined) metadata.token_count = (metadata.token_count ?? 0) + token_count;
    if (timestamp > metadata.updated) metadata.updated = timestamp;
    if (mailbox_cursor > metadata.mailbox_cursor) metadata.mailbox_cursor = mailbox_cursor;
  }
}

export function foldEvents(metadata: SessionMetadata, events: readonly SessionEvent[]): SessionMetadata {
  const folded = { ...metadata };
  countEvents(folded, events);
  return folded;
}

/** The same in place, for the one who holds the only copy. Members that are objects are replaced, never changed. */
export function countEvents(metadata: SessionMetadata, events: readonly SessionEvent[]): void {
  for (const { name, data, time, seq, mailbox_cursor = 0 } of events) {
    FOLDS[name]?.(metadata, data, time);
    metadata.event_count = seq;
    // A clock that is set back does not make a session younger.
    if (time > metadata.updated) metadata.updated = time;
    if (mailbox_cursor > metadata.mailbox_cursor) metadata.mailbox_cursor = mailbox_cursor;
  }
}

type EventFold = (metadata: SessionMetadata, data: JsonObject, time: string) => void;

const FOLDS: Record<string, EventFold> = {
  [RECORD_EVENTS.STATUS]: (metadata, data, time) => {
    const {
      status,
      interrupted = false,
      error = null,
      patch,
    } = data as unknown as StatusDetail & { status: SessionStatus };
    if (patch) applyPatch(metadata, patch);
    metadata.status = status;
    metadata.interrupted = interrupted;
    metadata.error = error;
    if (status === 'active') metadata.started ??= time;
    metadata.ended = isTerminal(status) ? time : null;
  },
  [RECORD_EVENTS.UPDATED]: (metadata, data) => applyPatch(metadata, data),
  'llm:response': (metadata, data) => {
    if (typeof data.model === 'string') metadata.model = data.model;
    const usage = isPlainObject(data.usage) ? Usage.safeParse(data.usage) : undefined;
    if (usage?.success) metadata.usage = addUsage(metadata.usage, usage.data);
  },
  'delegate:agent_spawned': (metadata) => {
    metadata.agent_invocations++;
  },
};

function applyPatch(metadata: SessionMetadata, { name, model, extra }: SessionPatch): void {
  if (name !== undefined) metadata.name = name;
  if (model !== undefined) metadata.model = model;
  if (extra !== undefined) metadata.extra = { ...metadata.extra, ...extra };
}

export function summarize(metadata: SessionMetadata): SessionSummary {
  return {
    session_id: metadata.session_id,
    project: metadata.project,
    parent_id: metadata.parent_id,
    root_id: metadata.root_id,
    agent_name: metadata.agent_name,
    tool_call_id: metadata.tool_call_id,
    profile_name: metadata.profile_name,
    name: metadata.name,
    status: metadata.status,
    interrupted: metadata.interrupted,
    created: metadata.created,
    updated: metadata.updated,
    ended: metadata.ended,
    message_count: metadata.message_count,
    turn_count: metadata.turn_count,
    forked_from: metadata.forked_from?.session_id ?? null,
    imported_from: metadata.imported_from?.session_id ?? null,
    foreign: false,
  };
}
