import { addUsage, frozenCopy, type JsonObject, NO_USAGE, readUsage } from '@amplifier/core';
import { definedMembers } from './json-text.js';
import type {
  InitialMetadata,
  SessionEvent,
  SessionMetadata,
  SessionPatch,
  SessionStatus,
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
 * What a session amounts to when it is created. A fork begins with the counts of what it took over. Each member by name: spreading
 * takes several times as long, and every delegation comes by here.
 */
export function newMetadata(
  creation: InitialMetadata,
  base: { messages: number; turns: number } = { messages: 0, turns: 0 },
): SessionMetadata {
  return {
    version: 1,
    session_id: creation.session_id,
    parent_id: creation.parent_id,
    root_id: creation.root_id,
    trace_id: creation.trace_id,
    depth: creation.depth,
    agent_name: creation.agent_name,
    tool_call_id: creation.tool_call_id,
    parallel_group_id: creation.parallel_group_id,
    created: creation.created,
    project: creation.project ?? null,
    working_dir: creation.working_dir,
    place: creation.place,
    profile_name: creation.profile_name,
    config: creation.config,
    agent_overlay: creation.agent_overlay,
    forked_from: creation.forked_from,
    imported_from: creation.imported_from,
    name: creation.name ?? null,
    model: creation.model ?? null,
    extra: creation.extra ?? {},
    status: 'created',
    last_outcome: null,
    interrupted: false,
    error: null,
    updated: creation.created,
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

/** Lines must be in order. They are counted in place: appending must not copy everything for each line. */
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

/** The same for events. Members that are objects are replaced, never changed. */
export function countEvents(metadata: SessionMetadata, events: readonly SessionEvent[]): void {
  for (const { name, data, time, seq, mailbox_cursor = 0 } of events) {
    FOLDS[name]?.(metadata, data, time);
    metadata.event_count = seq;
    // A clock that is set back does not make a session younger.
    if (time > metadata.updated) metadata.updated = time;
    if (mailbox_cursor > metadata.mailbox_cursor) metadata.mailbox_cursor = mailbox_cursor;
  }
}

/** Replaces what callers may hold of the metadata, and change, by frozen copies. */
export function freezeMembers(metadata: SessionMetadata): void {
  metadata.extra = frozenCopy(metadata.extra);
  metadata.error = frozenCopy(metadata.error);
  metadata.usage = frozenCopy(metadata.usage);
  metadata.last_outcome = frozenCopy(metadata.last_outcome);
}

const FOLDS: Record<string, (metadata: SessionMetadata, data: JsonObject, time: string) => void> = {
  [RECORD_EVENTS.STATUS]: (metadata, data, time) => {
    const detail = data as unknown as StatusDetail & { status: SessionStatus };
    const { status, interrupted = false, error = null, last_outcome, patch } = detail;
    if (patch) applyPatch(metadata, patch);
    if (last_outcome) metadata.last_outcome = last_outcome;
    metadata.status = status;
    metadata.interrupted = interrupted;
    metadata.error = error;
    if (status === 'active') metadata.started ??= time;
    metadata.ended = isTerminal(status) ? time : null;
  },
  [RECORD_EVENTS.UPDATED]: (metadata, data) => applyPatch(metadata, data),
  'llm:response': (metadata, data) => {
    if (typeof data.model === 'string') metadata.model = data.model;
    const usage = readUsage(data.usage);
    if (usage) metadata.usage = addUsage(metadata.usage, usage);
  },
  'delegate:agent_spawned': (metadata) => {
    metadata.agent_invocations++;
  },
};

function applyPatch(metadata: SessionMetadata, { name, model, extra }: SessionPatch): void {
  if (name !== undefined) metadata.name = name;
  if (model !== undefined) metadata.model = model;
  // JSON leaves out what is undefined, so the record would not have it.
  if (extra !== undefined) metadata.extra = { ...metadata.extra, ...definedMembers(extra) };
}
