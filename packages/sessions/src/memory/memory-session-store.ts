import { randomUUID } from 'node:crypto';
import {
  type Clock,
  isoTime,
  type JsonObject,
  type Liveness,
  LiveText,
  missingResult,
  openToolCalls,
  systemClock,
  systemLiveness,
  ulidSource,
} from '@amplifier/core';
import { DAY_MS, DEFAULT_PAGE, MAX_PAGE, READ_ROWS } from '../defaults.js';
import { parseFeedCursor } from '../feed-cursor.js';
import type { MailItem, NewMailItem } from '../mailbox.js';
import type { RecordSource } from '../number-records.js';
import { RecordLog } from '../record-log.js';
import type {
  DocumentName,
  NewSession,
  Range,
  SessionContents,
  SessionDocuments,
  SessionEvent,
  SessionMetadata,
  SessionNode,
  SessionOutline,
  SessionSpend,
  SessionSummary,
  SessionVersion,
  TranscriptLine,
} from '../records.js';
import {
  active,
  checkCount,
  checkRange,
  checkTurn,
  fenced,
  hasChildren,
  locked,
  notFound,
} from '../refusals.js';
import { SessionError } from '../session-error.js';
import { checkSessionId } from '../session-ids.js';
import type {
  DeleteOptions,
  ExportedSession,
  FeedEntry,
  FeedItem,
  FeedOptions,
  FeedPage,
  FeedScope,
  FollowFeed,
  ForkOptions,
  ImportOptions,
  OpenOptions,
  SessionChange,
  SessionExport,
  SessionOwner,
  SessionPage,
  SessionQuery,
  SessionStore,
} from '../session-store.js';
import { FORKED, fillIn, inheritedBy } from '../sql/create-session.js';
import { draftImported } from '../sql/exchange-session.js';
import { feedMessage, newsOf } from '../sql/follow.js';
import { draftSession } from '../sql/insert-session.js';
import { checkLimit, onlyOne, pageOf, parseListCursor } from '../sql/list-sessions.js';
import { describe } from '../sql/own-process.js';
import { wholeDocument } from '../sql/read-records.js';
import { childrenTopic, mailTopic, TOPIC_FEED } from '../sql/topic-names.js';
import type { EventText, MessageText } from '../sql/write-records.js';
import {
  byAge,
  eventOf,
  type MemoryOwner,
  MemoryRecord,
  type MemorySession,
  messageOf,
} from './memory-record.js';
import { MemoryShelf } from './memory-shelf.js';
import { MemoryWriter } from './memory-writer.js';

export interface MemoryStoreOptions {
  /** Whose sessions these are, by the slug of the project. */
  project?: string | null;
  clock?: Clock;
  /** Who this store writes for, and who else is alive. */
  liveness?: Liveness;
  /** Shared with other stores. Default: sessions of this store alone. */
  record?: MemoryRecord;
}

/** Sessions in memory, for tests and for programs that store nothing. */
export class MemorySessionStore implements SessionStore {
  readonly record: MemoryRecord;
  readonly source: RecordSource;
  readonly live = new LiveText(() => `msg_${this.source.ulid()}`);
  readonly shelf: MemoryShelf;
  readonly #project: string | null;
  readonly #clock: Clock;
  readonly #liveness: Liveness;
  readonly #id = randomUUID();
  readonly #logs = new Set<RecordLog>();
  #isClosed = false;

  constructor(options: MemoryStoreOptions = {}) {
    const { project = null, clock = systemClock, liveness = systemLiveness, record } = options;
    this.record = record ?? new MemoryRecord();
    this.source = { time: () => isoTime(clock), ulid: ulidSource(clock) };
    this.shelf = new MemoryShelf(this.record, clock, liveness);
    this.#project = project;
    this.#clock = clock;
    this.#liveness = liveness;
  }

  async create(request: NewSession = {}, contents: SessionContents = {}): Promise<RecordLog> {
    this.#requireOpen();
    const { parent_id } = request;
    const parent = parent_id == null ? null : this.record.sessions.get(checkSessionId(parent_id));
    const creation = fillIn({ project: this.#project, ...request }, parent?.metadata ?? null, this.#drafting);
    const draft = draftSession(this.source, creation, contents, this.#drafting);
    return this.#own(this.record.insert(draft, this.#owner(null)));
  }

  async open(session_id: string, { lease }: OpenOptions = {}): Promise<RecordLog> {
    this.#requireOpen();
    const session = this.#find(session_id);
    const { owner } = session;
    if (lease !== undefined && session.lease !== null && session.lease > lease)
      throw fenced(`Session ${session_id}`);
    const isNewer = lease !== undefined && owner?.lease != null && owner.lease < lease;
    if (!isNewer) this.#requireFree(session);
    if (owner) this.#takeBelow(session_id, owner.id);
    session.epoch++;
    session.owner = this.#owner(lease ?? null);
    session.lease = lease ?? session.lease;
    return this.#own(session);
  }

  async fork(session_id: string, { turn, session = {}, contents = {} }: ForkOptions = {}) {
    this.#requireOpen();
    const { metadata, messages } = this.#find(session_id);
    const request = { ...inheritedBy(this.#wholeMetadata(session_id)), ...session };
    const creation = fillIn(request, null, this.#drafting);
    const upTo = turn ?? metadata.turn_count;
    if (upTo !== metadata.turn_count) checkTurn(upTo, metadata.turn_count);
    const kept = turn === undefined ? [...messages] : messages.filter((each) => each.turn <= upTo);
    const last = kept.filter((each) => each.turn === kept.at(-1)?.turn);
    const open = openToolCalls(last.map((text) => messageOf(text, session_id)));
    const closers = open.map((call) => missingResult(call, FORKED));
    const forked = { ...creation, forked_from: { session_id, turn: upTo, seq: kept.length } };
    const shared = { messages: kept.length, turns: upTo, closers };
    const draft = draftSession(this.source, forked, contents, this.#drafting, shared);
    return this.#own(this.record.insert(draft, this.#owner(null), kept));
  }

  async has(session_id: string): Promise<boolean> {
    return this.#readable.sessions.has(checkSessionId(session_id));
  }

  async resolve(prefix: string): Promise<string> {
    if (await this.has(prefix)) return prefix;
    const named = [...this.record.sessions.values()].map(({ metadata }) => metadata);
    const found = named.filter(({ session_id }) => session_id.startsWith(prefix));
    const rows = found.map(({ session_id, project = null }) => ({ session_id, project }));
    return onlyOne(
      prefix,
      this.#project,
      rows.sort((a, b) => (a.session_id < b.session_id ? -1 : 1)),
    );
  }

  async metadata(session_id: string): Promise<SessionMetadata> {
    this.#find(session_id);
    return this.#wholeMetadata(session_id);
  }

  async version(session_id: string): Promise<SessionVersion> {
    const { created, event_count, message_count } = this.#find(session_id).metadata;
    return { session_id, created, event_count, message_count };
  }

  async messages(session_id: string, range: Range = {}): Promise<TranscriptLine[]> {
    const { messages } = this.#find(session_id);
    return within(messages, range).map((text) => messageOf(text, session_id));
  }

  async tail(session_id: string, count: number, range: Pick<Range, 'before' | 'bytes'> = {}) {
    const { messages } = this.#find(session_id);
    const { before = messages.length + 1, bytes } = range;
    checkRange({ ...range, limit: count });
    const end = Math.min(before - 1, messages.length);
    const last = messages.slice(Math.max(0, end - count), end).reverse();
    return fitting(last, bytes)
      .map((text) => messageOf(text, session_id))
      .reverse();
  }

  async events(session_id: string, range: Range = {}): Promise<SessionEvent[]> {
    const session = this.#find(session_id);
    return within(session.events, range).map((text) => eventOf(session, text));
  }

  async document<Name extends DocumentName>(session_id: string, name: Name) {
    this.#find(session_id);
    return this.#document(session_id, name);
  }

  async owner(session_id: string): Promise<SessionOwner | null> {
    const owner = this.#ownerOf(this.#find(session_id));
    return owner && { ...hostOf(owner), since: owner.since, lease: owner.lease };
  }

  async list(query: SessionQuery = {}) {
    return pageOf(this.#listed(query).map(summaryOf), query.limit ?? DEFAULT_PAGE);
  }

  async outlines<Known extends string = never>(
    query: SessionQuery = {},
    recall: (version: SessionVersion) => Known | undefined = () => undefined,
  ): Promise<SessionPage<SessionOutline | Known>> {
    const page = pageOf(this.#listed(query).map(wholeOf), query.limit ?? DEFAULT_PAGE);
    let left = query.bytes ?? Number.POSITIVE_INFINITY;
    const outlines: (SessionOutline | Known)[] = [];
    for (const whole of page.sessions) {
      const outline = recall(whole) ?? { ...whole, config: null };
      left -= typeof outline === 'string' ? outline.length : JSON.stringify(outline).length;
      if (left < 0 && outlines.length > 0) break;
      outlines.push(outline);
    }
    const isCut = outlines.length < page.sessions.length;
    return { ...(isCut ? pageOf(page.sessions, outlines.length) : page), sessions: outlines };
  }

  async children(parent_id: string): Promise<SessionSummary[]> {
    return this.#readable.children(checkSessionId(parent_id)).map(summaryOf);
  }

  async tree(root_id: string, limit = MAX_PAGE): Promise<SessionNode[]> {
    const all = this.#all(({ metadata }) => isInTree(metadata, checkSessionId(root_id)));
    return all.slice(0, limit).map((session) => {
      const { model, started, event_count, error, usage, last_outcome, extra } = wholeOf(session);
      const { plan: _, ...launch } = this.#document(session.metadata.session_id, 'launch') ?? {};
      const isOwned = session.owner !== null;
      const isLaunched = session.documents.has('launch');
      const own = { model, started, event_count, error, usage, last_outcome, extra, isOwned };
      return { ...summaryOf(session), ...own, launch: isLaunched ? launch : null };
    });
  }

  async spend({ from = '', to = '~' }: { from?: string; to?: string } = {}): Promise<SessionSpend[]> {
    return this.#all(({ metadata: { created } }) => created >= from && created < to).map(({ metadata }) => {
      const { session_id, root_id, created, name, agent_name, model, project = null, usage } = metadata;
      return { session_id, root_id, created, name, agent_name, model, project, usage: { ...usage } };
    });
  }

  async childOfCall(parent_id: string, tool_call_id: string): Promise<string | null> {
    return this.#readable.childOfCall(checkSessionId(parent_id), tool_call_id);
  }

  async orphaned(): Promise<SessionSummary[]> {
    const isOrphan = (session: MemorySession) =>
      session.metadata.status === 'active' && this.#ownerOf(session) === null;
    return this.#all(isOrphan).map(summaryOf);
  }

  async recover(): Promise<string[]> {
    const left = this.#all((session) => session.owner !== null && this.#ownerOf(session) === null);
    for (const session of left) {
      session.owner = null;
      session.epoch++;
    }
    return left.map(({ metadata }) => metadata.session_id).sort();
  }

  async *watch(
    session_id: string,
    options: { after_message?: number; after_event?: number; signal?: AbortSignal } = {},
  ): AsyncGenerator<SessionChange> {
    const session = this.#find(session_id);
    const { signal } = options;
    let event = options.after_event ?? session.events.length;
    let message = options.after_message ?? session.messages.length;
    for await (const _ of newsOf(this.record, session_id, signal)) {
      const [events, messages] = [session.events.slice(event), session.messages.slice(message)];
      event += events.length;
      message += messages.length;
      for (const text of events) yield { kind: 'event', event: eventOf(session, text) };
      for (const text of messages) yield { kind: 'message', message: messageOf(text, session_id) };
      if (signal?.aborted) return;
    }
  }

  feed(options: FollowFeed & { messages: true }): AsyncGenerator<FeedEntry>;
  feed(options?: FollowFeed): AsyncGenerator<FeedItem>;
  async *feed({ after, signal, ...options }: FollowFeed = {}): AsyncGenerator<FeedEntry> {
    const { record } = this;
    this.#requireOpen();
    let at = after === undefined ? record.last : parseFeedCursor(after, record.last);
    for await (const _ of newsOf(record, TOPIC_FEED, signal)) {
      for (const entry of this.#entries(options, at, record.last)) {
        at = Number(entry.cursor);
        yield entry;
        if (signal?.aborted) return;
      }
    }
  }

  async feedPage({ after, until, limit = READ_ROWS, ...options }: FeedPage): Promise<FeedEntry[]> {
    const page: FeedEntry[] = [];
    for (const entry of this.#entries(options, parseFeedCursor(after), parseFeedCursor(until)))
      if (page.push(entry) >= limit) break;
    return page;
  }

  async feedCursor(of?: FeedScope): Promise<string> {
    const { feed, last } = this.#readable;
    if (!of) return String(last);
    if ('session_id' in of) this.#find(of.session_id);
    return String(feed.findLast(({ session }) => isWithin(of, session.metadata))?.n ?? 0);
  }

  async eventCursor(session_id: string, seq: number): Promise<string | null> {
    const event = this.#find(session_id).events[seq - 1];
    const entry = this.record.feed.find((each) => 'event' in each && each.event === event);
    return entry ? String(entry.n) : null;
  }

  *#entries({ of, messages = false }: FeedOptions, after: number, until: number): Generator<FeedEntry> {
    const { feed } = this.#readable;
    if (of && 'session_id' in of) this.#find(of.session_id);
    for (const entry of feed.slice(feed.findLastIndex(({ n }) => n <= after) + 1)) {
      const { n, session } = entry;
      const { session_id, parent_id, root_id } = session.metadata;
      if (n > until) return;
      if (session.deleted !== null || (of && !isWithin(of, session.metadata))) continue;
      const place = { cursor: String(n), tenant: '' };
      if ('event' in entry) yield { ...place, event: eventOf(session, entry.event) };
      else if (messages) {
        const { seq, body } = entry.message;
        yield feedMessage({ ...place, session_id, parent_id, root_id, seq }, body);
      }
    }
  }

  async send({ to, kind, from = null, id, reply_to = null, body }: NewMailItem): Promise<{ id: string }> {
    this.#requireOpen();
    const { mail } = this.#find(to);
    const item = { id: id ?? `mail_${this.source.ulid()}`, to, kind, from, reply_to };
    if (mail.some((each) => each.id === item.id)) return { id: item.id };
    const time = this.source.time();
    mail.push({ ...item, time, body: structuredClone(body), cursor: mail.length + 1 });
    this.record.topics.tell([mailTopic(to)]);
    return { id: item.id };
  }

  async mail(session_id: string): Promise<MailItem[]> {
    return structuredClone(this.#find(session_id).mail);
  }

  async sync(): Promise<void> {}

  answersFolder(): null {
    return null;
  }

  async delete(session_id: string, { children = 'refuse', force = false }: DeleteOptions = {}) {
    this.#requireOpen();
    const doomed = [this.#find(session_id)];
    // Grows while it is walked, and ends also where sessions name each other as parents.
    for (const { metadata } of doomed) {
      if (metadata.status === 'active' && !force) throw active(metadata.session_id);
      if (children === 'orphan') break;
      const below = this.record.children(metadata.session_id);
      if (below.length > 0 && children === 'refuse') throw hasChildren(metadata.session_id, below.length);
      doomed.push(...below.filter((each) => !doomed.includes(each)));
    }
    doomed.reverse();
    for (const session of doomed) this.#requireFree(session);
    const now = isoTime(this.#clock);
    for (const session of doomed) this.record.putAway(session, now);
    return doomed.map(({ metadata }) => metadata.session_id);
  }

  async restore(session_id: string): Promise<string[]> {
    this.#requireOpen();
    checkSessionId(session_id);
    const { record } = this;
    const top = record.trash.findLast(({ metadata }) => metadata.session_id === session_id);
    if (!top) throw notFound(session_id);
    const { deleted } = top;
    const back: string[] = [];
    const found = [top];
    for (const session of found) {
      const { metadata } = session;
      const refused = record.whyTaken(metadata);
      if (refused && session === top) throw refused;
      if (refused) continue;
      record.bringBack(session);
      back.push(metadata.session_id);
      const isBelow = (each: MemorySession) =>
        each.metadata.parent_id === metadata.session_id && each.deleted === deleted;
      found.push(...record.trash.filter(isBelow));
    }
    return back;
  }

  async emptyTrash(older_than_days: number): Promise<string[]> {
    this.#requireOpen();
    checkCount('older_than_days', older_than_days);
    return this.record.purge(new Date(this.#clock.now() - older_than_days * DAY_MS).toISOString());
  }

  async size(session_id: string): Promise<number> {
    const { messages, events, documents } = this.#find(session_id);
    const own = [...messages, ...events, ...documents.values()];
    return own.reduce((sum, { body }) => sum + (body?.length ?? 0), 0);
  }

  async export(session_id: string): Promise<SessionExport> {
    const session = this.#find(session_id);
    const documents: SessionDocuments = {};
    for (const name of ['launch', 'mount_plan', 'bundle'] as const) {
      const document = this.#document(session_id, name);
      if (document !== null) Object.assign(documents, { [name]: document });
    }
    const events = session.events.map((text) => eventOf(session, text));
    const messages = session.messages.map((text) => messageOf(text, session_id));
    const mail = structuredClone(session.mail);
    return {
      session_id,
      documents,
      events: onePage(events),
      messages: onePage(messages),
      mail: onePage(mail),
    };
  }

  async import(session: ExportedSession, options: ImportOptions = {}): Promise<string> {
    this.#requireOpen();
    const draft = draftImported(session, { project: this.#project, ...options });
    return this.record.insert(draft, null).metadata.session_id;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    for (const log of [...this.#logs]) await log.close();
    this.#isClosed = true;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get #drafting() {
    return { clock: this.#clock, source: this.source, place: null, process: { id: this.#id }, database: {} };
  }

  get #readable(): MemoryRecord {
    this.#requireOpen();
    return this.record;
  }

  #find(session_id: string): MemorySession {
    return this.#readable.find(checkSessionId(session_id));
  }

  #own(session: MemorySession): RecordLog {
    const { record, source, live } = this;
    const onClosed = () => this.#logs.delete(log);
    const log = new RecordLog({ source, live, news: record, onClosed }, new MemoryWriter(record, session));
    this.#logs.add(log);
    const { parent_id } = session.metadata;
    if (parent_id !== null) this.record.topics.tell([childrenTopic(parent_id)]);
    return log;
  }

  #owner(lease: number | null): MemoryOwner {
    return { id: this.#id, identity: this.#liveness.self, since: isoTime(this.#clock), lease };
  }

  /** Null when the session has no owner, or its owner is dead. */
  #ownerOf({ owner }: MemorySession): MemoryOwner | null {
    return owner && (owner.id === this.#id || this.#liveness.isAlive(owner.identity)) ? owner : null;
  }

  #requireFree(session: MemorySession): void {
    const owner = this.#ownerOf(session);
    if (!owner) return;
    const who = describe(owner.identity, this.#liveness.self);
    throw locked(session.metadata.session_id, `${who} since ${owner.since}`);
  }

  /** Takes what a former owner held below a session. What has its own lease is judged by that. */
  #takeBelow(session_id: string, owner: string): void {
    for (const child of this.record.children(session_id)) {
      if (child.owner?.id !== owner || child.owner.lease !== null) continue;
      child.owner = null;
      child.epoch++;
      this.#takeBelow(child.metadata.session_id, owner);
    }
  }

  #document<Name extends DocumentName>(
    session_id: string,
    name: Name,
  ): NonNullable<SessionDocuments[Name]> | null {
    const { documents, metadata } = this.record.find(session_id);
    const text = documents.get(name);
    if (!text) return null;
    const { body, plan, rights } = text;
    const row = { body, plan: plan?.text ?? null, rights: rights?.text ?? null };
    return wholeDocument(name, row, session_id, metadata) as NonNullable<SessionDocuments[Name]>;
  }

  #wholeMetadata(session_id: string): SessionMetadata {
    return wholeOf(this.record.find(session_id));
  }

  /** Oldest first. */
  #all(isWanted: (session: MemorySession) => boolean): MemorySession[] {
    return [...this.#readable.sessions.values()].filter(isWanted).sort(byAge);
  }

  /** The sessions of a query, newest first, one more than the page has. */
  #listed({
    limit = DEFAULT_PAGE,
    project = this.#project,
    cursor,
    ...query
  }: SessionQuery): MemorySession[] {
    checkLimit(limit);
    const statuses = query.status === undefined ? null : [query.status].flat();
    const before = cursor === undefined ? null : parseListCursor(cursor).join(' ');
    const all = query.deleted ? this.#readable.trash : [...this.#readable.sessions.values()];
    const isWanted = ({ metadata }: MemorySession) => {
      const { created, session_id, parent_id, agent_name, profile_name, status } = metadata;
      return (
        (project == null || metadata.project === project) &&
        (query.parent_id === undefined || parent_id === query.parent_id) &&
        (query.root_id === undefined || isInTree(metadata, query.root_id)) &&
        (query.agent_name === undefined || agent_name === query.agent_name) &&
        (query.profile_name === undefined || profile_name === query.profile_name) &&
        (query.forked_from === undefined || metadata.forked_from?.session_id === query.forked_from) &&
        (query.imported_from === undefined || metadata.imported_from?.session_id === query.imported_from) &&
        (statuses === null || statuses.includes(status)) &&
        (query.created_after === undefined || created >= query.created_after) &&
        (query.created_before === undefined || created < query.created_before) &&
        (before === null || `${created} ${session_id}` < before)
      );
    };
    const found = all.filter(isWanted).sort(byAge).reverse();
    return found.slice(0, limit + 1);
  }

  #requireOpen(): void {
    if (this.#isClosed)
      throw new SessionError('The session store is closed; open it again.', { code: 'LOG_CLOSED' });
  }
}

function isInTree({ session_id, root_id }: SessionMetadata, root: string): boolean {
  return session_id === root || root_id === root;
}

function hostOf({ identity: { pid, host } }: MemoryOwner) {
  return { pid, host };
}

/** The fold as it would be read from a file. The first event has the plan, which may have changed in the hands of the caller. */
function wholeOf({ metadata, ...session }: MemorySession): SessionMetadata {
  const [first] = session.events;
  const { config = null } = first ? (eventOf({ metadata, ...session }, first).data as JsonObject) : {};
  const copy = JSON.parse(JSON.stringify({ ...metadata, config: null }));
  return { ...metadata, ...copy, config: config as SessionMetadata['config'] };
}

function summaryOf({ metadata }: MemorySession): SessionSummary {
  const { session_id, project = null, parent_id, root_id, agent_name, tool_call_id, profile_name } = metadata;
  const { created, forked_from, imported_from, name, status, updated, ended } = metadata;
  const { message_count, turn_count, interrupted } = metadata;
  return {
    ...{ session_id, project, parent_id, root_id, agent_name, tool_call_id, profile_name, created },
    forked_from: forked_from?.session_id ?? null,
    imported_from: imported_from?.session_id ?? null,
    ...{ name, status, updated, ended, message_count, turn_count, interrupted },
  };
}

/** The records of a range. */
function within<Text extends MessageText | EventText>(texts: readonly Text[], range: Range): Text[] {
  checkRange(range);
  const { after = 0, before = texts.length + 1, limit = texts.length, bytes } = range;
  return fitting(texts.slice(after, Math.max(after, Math.min(before - 1, after + limit))), bytes);
}

/** The first that fit into so many bytes, at least one. */
function fitting<Text extends MessageText | EventText>(texts: readonly Text[], bytes?: number): Text[] {
  if (bytes === undefined) return [...texts];
  let left = bytes;
  const end = texts.findIndex(({ body }, at) => {
    left -= Buffer.byteLength(body);
    return at > 0 && left < 0;
  });
  return texts.slice(0, Math.min(end === -1 ? texts.length : end, MAX_PAGE));
}

async function* onePage<T>(records: readonly T[]): AsyncGenerator<readonly T[]> {
  if (records.length > 0) yield records;
}

function isWithin(of: FeedScope, { session_id, root_id }: SessionMetadata): boolean {
  return 'root_id' in of ? root_id === of.root_id : session_id === of.session_id;
}
