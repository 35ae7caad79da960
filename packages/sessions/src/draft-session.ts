import {
  type JsonObject,
  missingResult,
  newTraceId,
  openToolCalls,
  redactSecrets,
  rootSessionId,
  subSessionId,
} from '@amplifier/core';
import { countEvents, countMessages, newMetadata, RECORD_EVENTS } from './fold-metadata.js';
import type { MailItem } from './mailbox.js';
import { checkRoom, numberEvents, numberMessages, type RecordSource } from './number-records.js';
import type {
  InitialMetadata,
  NewSession,
  SessionContents,
  SessionMetadata,
  TranscriptLine,
} from './records.js';
import { SessionError } from './session-error.js';
import { checkSessionId } from './session-ids.js';
import type { ExportedSession, ImportOptions } from './session-store.js';

/** Fills in what a request for a session leaves open. A child that names its parent gets an id and place below it. */
export function fillIn(
  request: NewSession,
  parent: SessionMetadata | null,
  { source, place }: { source: RecordSource; place?: string | null },
): InitialMetadata {
  const { parent_id = null, agent_name = null, config = null, agent_overlay = null } = request;
  const trace_id = request.trace_id ?? parent?.trace_id ?? newTraceId();
  const newId = () =>
    parent_id === null
      ? rootSessionId(source.ulid())
      : subSessionId({ session_id: parent_id, trace_id }, agent_name ?? 'agent');
  const session_id = checkSessionId(request.session_id ?? newId());
  if (parent_id !== null) checkSessionId(parent_id);
  if (parent_id === session_id)
    throw new SessionError(`Session ${session_id} cannot be its own parent.`, { code: 'INVALID_RECORD' });
  return {
    session_id,
    parent_id,
    root_id: request.root_id ?? parent?.root_id ?? parent_id ?? session_id,
    trace_id,
    depth: request.depth ?? (parent ? parent.depth + 1 : parent_id === null ? 0 : 1),
    agent_name,
    tool_call_id: request.tool_call_id ?? null,
    parallel_group_id: request.parallel_group_id ?? null,
    created: source.time(),
    project: request.project ?? null,
    working_dir: request.working_dir ?? null,
    place: parent_id === null ? placeOf(request, place ?? null) : undefined,
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

/** A tree that works in a folder stays where that is. */
function placeOf({ place, working_dir }: NewSession, here: string | null): string | null | undefined {
  if (place !== undefined) return place;
  return working_dir == null || here === null ? undefined : here;
}

/** What a fork takes over from its source. */
export function inheritedBy({ place, ...source }: SessionMetadata): NewSession {
  const { config, agent_overlay, agent_name, working_dir, profile_name, name, model, project } = source;
  const inherited = { project, config, agent_overlay, agent_name, working_dir, profile_name, name, model };
  return place ? { ...inherited, place } : inherited;
}

const FORKED = 'The conversation was forked here, before the tool call had a result.';

export interface TakeInOptions extends ImportOptions {
  project?: string | null;
  /** It comes from our own home, where no session can write: then it stays all it was. */
  isOurs?: boolean;
}

/** A session that is about to be stored, with everything it begins with. */
export interface SessionBeginning extends Omit<ExportedSession, 'session_id' | 'mail'> {
  metadata: SessionMetadata;
  parent_epoch?: number | undefined;
  mail?: readonly Omit<MailItem, 'cursor'>[];
}

/** A fork begins with the counts of what it shares, and closes the calls that were cut off in its last turn. */
export function beginSession(
  source: RecordSource,
  creation: InitialMetadata,
  { parent_epoch, documents = {}, ...contents }: SessionContents,
  cut: readonly TranscriptLine[] = [],
): SessionBeginning {
  const { created, forked_from } = creation;
  const base = forked_from ? { messages: forked_from.seq, turns: forked_from.turn } : undefined;
  const metadata = newMetadata(creation, base);
  const first = { name: RECORD_EVENTS.CREATED, data: creation as unknown as JsonObject, time: created };
  const closers = openToolCalls(cut).map((call) => missingResult(call, FORKED));
  const events = numberEvents(source, metadata, [first, ...(contents.events ?? [])]);
  const messages = numberMessages(source, metadata, [...closers, ...(contents.messages ?? [])]);
  countEvents(metadata, events);
  countMessages(metadata, messages);
  return { metadata, parent_epoch, documents, events, messages };
}

/** The same for one that comes from elsewhere, under the name it gets here. */
export function beginImported(
  { session_id: original, documents, events, messages, mail }: ExportedSession,
  { session_id: wanted, working_dir = null, project = null, isOurs = false }: TakeInOptions,
): Required<Omit<SessionBeginning, 'parent_epoch'>> {
  checkOrder(events, 'event');
  checkOrder(messages, 'message');
  checkRoom(wanted ?? original, messages.length);
  const session_id = checkSessionId(wanted ?? original);
  const rename = (id: string) => (id === original ? session_id : id);
  const [created, ...rest] = events.map((each) => ({ ...each, session_id, root_id: rename(each.root_id) }));
  if (created?.name !== RECORD_EVENTS.CREATED)
    throw incomplete(`it does not begin with ${RECORD_EVENTS.CREATED}`);
  // `base` tells what a fork shared with its source.
  const { base: _, ...creation } = created.data as unknown as InitialMetadata & { base?: unknown };
  const own = {
    ...creation,
    session_id,
    root_id: rename(creation.root_id),
    project: project ?? creation.project ?? null,
    working_dir: isOurs ? creation.working_dir : working_dir,
  };
  const all = [{ ...created, data: own as unknown as JsonObject }, ...rest];
  const metadata = newMetadata(own);
  countEvents(metadata, all);
  countMessages(metadata, messages);
  // Delivered mail has had its effect. The rest gets new cursors.
  const waiting = mail.filter(({ cursor }) => cursor > metadata.mailbox_cursor);
  metadata.mailbox_cursor = 0;
  // The rights of a session are decided where it runs: the launch record of a file is ignored.
  const { launch: __, ...foreign } = documents;
  const { turn_start: ___, ...extra } = metadata.extra;
  if (!isOurs) metadata.extra = extra;
  return {
    metadata,
    events: all.map(withoutCursor),
    messages: messages.map(withoutCursor),
    documents: isOurs ? documents : foreign,
    mail: waiting.map(({ cursor: _, ...item }) => ({ ...item, to: session_id })),
  };
}

function withoutCursor<T extends { mailbox_cursor?: number }>({ mailbox_cursor: _, ...record }: T): T {
  return record as T;
}

function checkOrder(records: readonly { seq: number }[], what: string): void {
  const wrong = records.findIndex(({ seq }, at) => seq !== at + 1);
  if (wrong >= 0) throw incomplete(`${what} ${wrong + 1} is missing or out of order`);
}

export function incomplete(why: string, cause?: unknown): SessionError {
  const message = `This is not a complete exported session: ${why}. Export it again. Nothing was imported.`;
  return new SessionError(message, { code: 'INVALID_EXPORT', cause });
}
