import { randomUUID } from 'node:crypto';
import {
  type Clock,
  cloneJson,
  isoTime,
  type Liveness,
  LiveText,
  systemClock,
  systemLiveness,
  ulidSource,
} from '@amplifier/core';
import { DAY_MS, DEFAULT_PAGE, MAX_PAGE, READ_ROWS } from '../defaults.js';
import { beginImported, beginSession, fillIn, inheritedBy } from '../draft-session.js';
import { parseFeedCursor } from '../feed-cursor.js';
import { checkLimit, onlyOne, pageOf, parseListCursor } from '../list-pages.js';
import type { MailItem, NewMailItem } from '../mailbox.js';
import { newsOf } from '../news.js';
import type { RecordSource } from '../number-records.js';
import { RecordLog } from '../record-log.js';
import type {
  DocumentName,
  InitialMetadata,
  NewSession,
  Range,
  SessionContents,
  SessionMetadata,
  SessionNode,
  SessionOutline,
  SessionSummary,
  SessionVersion,
  TranscriptLine,
} from '../records.js';
import {
  active,
  checkCount,
  checkRange,
  checkTurn,
  describeProcess,
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
import { mailTopic, TOPIC_FEED } from '../topic-names.js';
import { byAge, lastTurn, type MemoryOwner, MemoryRecord, type MemorySession } from './memory-record.js';
import { MemoryShelf } from './memory-shelf.js';
import { MemoryWriter } from './memory-writer.js';
import { storedCopy } from './stored-copy.js';

export interface MemoryStoreOptions {
  /** Whose sessions these are, by the slug of the project. */
  project?: string | null;
  clock?: Clock;
  /** Who this store writes for, and who else is alive. */
  liveness?: Liveness;
  /** Shared with other stores. Default: sessions of this store alone. */
  record?: MemoryRecord;
}

/** Sessions in memory, for tests and for programs that store nothing. Takes copies, and hands out copies. */
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
    const { sessions } = this.#open;
    const { parent_id } = request;
    const parent = parent_id == null ? undefined : sessions.get(checkSessionId(parent_id));
    return this.#begin(
      fillIn({ project: this.#project, ...request }, parent?.metadata ?? null, this),
      contents,
    );
  }

  async open(session_id: string, { lease }: OpenOptions = {}): Promise<RecordLog> {
    const session = this.#find(session_id);
    const { owner } = session;
    if (lease !== undefined && session.lease !== null && session.lease > lease)
      throw fenced(`Session ${session_id}`);
    const isNewer = lease !== undefined && owner?.lease != null && owner.lease < lease;
    if (!isNewer) this.#requireFree(session);
    if (owner) this.#takeBelow(session_id, owner.id);
    session.epoch++;
    session.owner = this.#newOwner(lease ?? null);
    session.lease = lease ?? session.lease;
    return this.#own(session);
  }

  async fork(session_id: string, { turn, session = {}, contents = {} }: ForkOptions = {}) {
    const { metadata, messages } = this.#find(session_id);
    const creation = fillIn({ ...inheritedBy(metadata), ...session }, null, this);
    const upTo = turn ?? metadata.turn_count;
    if (upTo !== metadata.turn_count) checkTurn(upTo, metadata.turn_count);
    const kept = messages.slice(0, messages.findLastIndex((each) => each.turn <= upTo) + 1);
    const forked_from = { session_id, turn: upTo, seq: kept.length };
    return this.#begin({ ...creation, forked_from }, contents, kept);
  }

  async has(session_id: string): Promise<boolean> {
    return this.#open.sessions.has(checkSessionId(session_id));
  }

  async resolve(prefix: string): Promise<string> {
    if (await this.has(prefix)) return prefix;
    const ids = [...this.record.sessions.keys()].filter((id) => id.startsWith(prefix)).sort();
    return onlyOne(
      prefix,
      this.#project,
      ids.map((id) => this.record.find(id).metadata),
    );
  }

  async metadata(session_id: string): Promise<SessionMetadata> {
    return cloneJson(this.#find(session_id).metadata);
  }

  async version(session_id: string): Promise<SessionVersion> {
    const { created, event_count, message_count } = this.#find(session_id).metadata;
    return { session_id, created, event_count, message_count };
  }

  async messages(session_id: string, range: Range = {}) {
    return within(this.#find(session_id).messages, range);
  }

  async tail(session_id: string, count: number, range: Pick<Range, 'before' | 'bytes'> = {}) {
    const { messages } = this.#find(session_id);
    checkRange({ ...range, limit: count });
    const { before = messages.length + 1, bytes } = range;
    const last = messages
      .slice(0, Math.max(0, before - 1))
      .slice(-count)
      .reverse();
    return cloneJson(fitting(last, bytes).reverse());
  }

  async events(session_id: string, range: Range = {}) {
    return within(this.#find(session_id).events, range);
  }

  async document<Name extends DocumentName>(session_id: string, name: Name) {
    return cloneJson(this.#find(session_id).documents[name] ?? null);
  }

  async owner(session_id: string): Promise<SessionOwner | null> {
    const owner = this.#ownerOf(this.#find(session_id));
    if (!owner) return null;
    const { pid, host } = owner.identity;
    return { pid, host, since: owner.since, lease: owner.lease };
  }

  async list(query: SessionQuery = {}) {
    return pageOf(this.#listed(query).map(summaryOf), query.limit ?? DEFAULT_PAGE);
  }

  async outlines<Known extends string = never>(
    query: SessionQuery = {},
    recall: (version: SessionVersion) => Known | undefined = () => undefined,
  ): Promise<SessionPage<SessionOutline | Known>> {
    const listed = this.#listed(query).map(({ metadata }) => metadata);
    const page = pageOf(listed, query.limit ?? DEFAULT_PAGE);
    let left = query.bytes ?? Number.POSITIVE_INFINITY;
    const outlines: (SessionOutline | Known)[] = [];
    for (const metadata of page.sessions) {
      const outline = recall(metadata) ?? cloneJson({ ...metadata, config: null });
      left -= typeof outline === 'string' ? outline.length : sizeOf(outline);
      if (left < 0 && outlines.length > 0) break;
      outlines.push(outline);
    }
    const { next_cursor } = outlines.length < page.sessions.length ? pageOf(listed, outlines.length) : page;
    return { sessions: outlines, next_cursor };
  }

  async children(parent_id: string): Promise<SessionSummary[]> {
    return this.#open.children(checkSessionId(parent_id)).map(summaryOf);
  }

  async tree(root_id: string, limit = MAX_PAGE): Promise<SessionNode[]> {
    checkSessionId(root_id);
    const all = this.#all(({ metadata }) => isInTree(metadata, root_id));
    return all.slice(0, limit).map(nodeOf);
  }

  async spend({ from = '', to = '~' }: { from?: string; to?: string } = {}) {
    return this.#all(({ metadata: { created } }) => created >= from && created < to).map(({ metadata }) => {
      const { session_id, root_id, created, name, agent_name, model, project, usage } = metadata;
      return { session_id, root_id, created, name, agent_name, model, project, usage: { ...usage } };
    });
  }

  async childOfCall(parent_id: string, tool_call_id: string): Promise<string | null> {
    return this.#open.childOfCall(checkSessionId(parent_id), tool_call_id);
  }

  async orphaned(): Promise<SessionSummary[]> {
    const isOrphan = (session: MemorySession) =>
      session.metadata.status === 'active' && this.#ownerOf(session) === null;
    return this.#all(isOrphan).map(summaryOf);
  }

  async recover(): Promise<string[]> {
    const left = this.#all((session) => session.owner !== null && this.#ownerOf(session) === null);
    for (const session of left) takeFromOwner(session);
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
      for (const each of events) yield { kind: 'event', event: cloneJson(each) };
      for (const each of messages) yield { kind: 'message', message: cloneJson(each) };
      if (signal?.aborted) return;
    }
  }

  feed(options: FollowFeed & { messages: true }): AsyncGenerator<FeedEntry>;
  feed(options?: FollowFeed): AsyncGenerator<FeedItem>;
  async *feed({ after, signal, ...options }: FollowFeed = {}): AsyncGenerator<FeedEntry> {
    const { feed } = this.#open;
    let at = after === undefined ? feed.length : parseFeedCursor(after, feed.length);
    for await (const _ of newsOf(this.record, TOPIC_FEED, signal)) {
      const end = feed.length;
      for (const entry of this.#entries(options, at, end)) {
        yield entry;
        if (signal?.aborted) return;
      }
      at = end;
    }
  }

  async feedPage({ after, until, limit = READ_ROWS, ...options }: FeedPage): Promise<FeedEntry[]> {
    const page: FeedEntry[] = [];
    for (const entry of this.#entries(options, parseFeedCursor(after), parseFeedCursor(until)))
      if (page.push(entry) >= limit) break;
    return page;
  }

  async feedCursor(of?: FeedScope): Promise<string> {
    const { feed } = this.#open;
    if (!of) return String(feed.length);
    if ('session_id' in of) this.#find(of.session_id);
    return String(feed.findLastIndex((row) => row && isWithin(of, row.session.metadata)) + 1);
  }

  async eventCursor(session_id: string, seq: number): Promise<string | null> {
    const event = this.#find(session_id).events[seq - 1];
    return event ? String(this.record.feed.findIndex((row) => row?.event === event) + 1) : null;
  }

  async send({ to, kind, from = null, id, reply_to = null, body }: NewMailItem): Promise<{ id: string }> {
    checkSessionId(to);
    const item = { id: id ?? `mail_${this.source.ulid()}`, to, kind, from, reply_to };
    const copy = storedCopy({ ...item, time: this.source.time(), body }, to);
    const { mail } = this.#find(to);
    if (mail.some((each) => each.id === item.id)) return { id: item.id };
    mail.push({ ...copy, cursor: mail.length + 1 });
    this.record.topics.tell([mailTopic(to)]);
    return { id: item.id };
  }

  async mail(session_id: string): Promise<MailItem[]> {
    return cloneJson(this.#find(session_id).mail);
  }

  async sync(): Promise<void> {}

  answersFolder(): null {
    return null;
  }

  async delete(session_id: string, { children = 'refuse', force = false }: DeleteOptions = {}) {
    const doomed = new Set([this.#find(session_id)]);
    // Grows while it is walked, and ends also where sessions name each other as parents.
    for (const { metadata } of doomed) {
      if (metadata.status === 'active' && !force) throw active(metadata.session_id);
      if (children === 'orphan') break;
      const below = this.record.children(metadata.session_id);
      if (below.length > 0 && children === 'refuse') throw hasChildren(metadata.session_id, below.length);
      for (const each of below) doomed.add(each);
    }
    const lowestFirst = [...doomed].reverse();
    for (const session of lowestFirst) this.#requireFree(session);
    const now = isoTime(this.#clock);
    for (const session of lowestFirst) this.record.putAway(session, now);
    return lowestFirst.map(({ metadata }) => metadata.session_id);
  }

  async restore(session_id: string): Promise<string[]> {
    const { trash } = this.#open;
    checkSessionId(session_id);
    const top = [...trash].findLast(({ metadata }) => metadata.session_id === session_id);
    if (!top) throw notFound(session_id);
    const { deleted } = top;
    const back: string[] = [];
    const found = [top];
    for (const session of found) {
      const { metadata } = session;
      const refused = this.record.whyTaken(metadata);
      if (refused && session === top) throw refused;
      if (refused) continue;
      this.record.bringBack(session);
      back.push(metadata.session_id);
      const isBelow = (each: MemorySession) =>
        each.metadata.parent_id === metadata.session_id && each.deleted === deleted;
      found.push(...[...trash].filter(isBelow));
    }
    return back;
  }

  async emptyTrash(older_than_days: number): Promise<string[]> {
    checkCount('older_than_days', older_than_days);
    return this.#open.purge(new Date(this.#clock.now() - older_than_days * DAY_MS).toISOString());
  }

  async size(session_id: string): Promise<number> {
    const { messages, events, documents } = this.#find(session_id);
    return [...messages, ...events, ...Object.values(documents)].reduce((sum, each) => sum + sizeOf(each), 0);
  }

  async export(session_id: string): Promise<SessionExport> {
    const { documents, events, messages, mail } = this.#find(session_id);
    return {
      ...{ session_id, documents: cloneJson(documents) },
      ...{ events: onePage(events), messages: onePage(messages), mail: onePage(mail) },
    };
  }

  async import(session: ExportedSession, options: ImportOptions = {}): Promise<string> {
    const record = this.#open;
    const copy = storedCopy(session, options.session_id ?? session.session_id);
    const beginning = beginImported(copy, { project: this.#project, ...options });
    return record.insert(beginning, null).metadata.session_id;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    for (const log of [...this.#logs]) await log.close();
    this.#isClosed = true;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Throws when the store is closed. */
  get #open(): MemoryRecord {
    if (!this.#isClosed) return this.record;
    throw new SessionError('The session store is closed; open it again.', { code: 'LOG_CLOSED' });
  }

  #find(session_id: string): MemorySession {
    return this.#open.find(checkSessionId(session_id));
  }

  /** `before` is the conversation that a fork shares. */
  #begin(creation: InitialMetadata, contents: SessionContents, before: readonly TranscriptLine[] = []) {
    const copy = storedCopy({ creation, contents }, creation.session_id);
    const beginning = beginSession(this.source, copy.creation, copy.contents, lastTurn(before));
    return this.#own(this.record.insert(beginning, this.#newOwner(null), before));
  }

  #own(session: MemorySession): RecordLog {
    const { record, source, live } = this;
    const onClosed = () => this.#logs.delete(log);
    const log = new RecordLog({ source, live, news: record, onClosed }, new MemoryWriter(record, session));
    this.#logs.add(log);
    return log;
  }

  #newOwner(lease: number | null): MemoryOwner {
    return { id: this.#id, identity: this.#liveness.self, since: this.source.time(), lease };
  }

  /** Null when the session has no owner, or its owner is dead. */
  #ownerOf({ owner }: MemorySession): MemoryOwner | null {
    return owner && (owner.id === this.#id || this.#liveness.isAlive(owner.identity)) ? owner : null;
  }

  #requireFree(session: MemorySession): void {
    const owner = this.#ownerOf(session);
    if (!owner) return;
    const who = describeProcess(owner.identity, this.#liveness.self);
    throw locked(session.metadata.session_id, `${who} since ${owner.since}`);
  }

  /** Takes what a former owner held below a session. What has its own lease is judged by that. */
  #takeBelow(session_id: string, owner: string): void {
    for (const child of this.record.children(session_id)) {
      if (child.owner?.id !== owner || child.owner.lease !== null) continue;
      takeFromOwner(child);
      this.#takeBelow(child.metadata.session_id, owner);
    }
  }

  /** Oldest first. */
  #all(isWanted: (session: MemorySession) => boolean): MemorySession[] {
    return [...this.#open.sessions.values()].filter(isWanted).sort(byAge);
  }

  /** The sessions of a query, newest first, one more than the page has. */
  #listed({ limit = DEFAULT_PAGE, project = this.#project, ...query }: SessionQuery): MemorySession[] {
    checkLimit(limit);
    const { sessions, trash } = this.#open;
    const { root_id, status, created_after = '', created_before = '~', cursor } = query;
    const before = cursor === undefined ? '~' : parseListCursor(cursor).join(' ');
    const isWanted = (session: MemorySession) => {
      const summary = summaryOf(session);
      const { created, session_id } = summary;
      return (
        EQUAL.every((name) => query[name] === undefined || query[name] === summary[name]) &&
        (project == null || summary.project === project) &&
        (root_id === undefined || isInTree(summary, root_id)) &&
        (status === undefined || [status].flat().includes(summary.status)) &&
        created >= created_after &&
        created < created_before &&
        `${created} ${session_id}` < before
      );
    };
    const found = [...(query.deleted ? trash : sessions.values())].filter(isWanted);
    return found
      .sort(byAge)
      .reverse()
      .slice(0, limit + 1);
  }

  *#entries({ of, messages = false }: FeedOptions, after: number, until: number): Generator<FeedEntry> {
    const { feed } = this.#open;
    if (of && 'session_id' in of) this.#find(of.session_id);
    for (let at = after; at < Math.min(until, feed.length); at++) {
      const row = feed[at];
      if (!row || row.session.deleted !== null || (of && !isWithin(of, row.session.metadata))) continue;
      const { event, message } = row;
      const place = { cursor: String(at + 1), tenant: '' };
      if (event) yield { ...place, event: cloneJson(event) };
      else if (message && messages) {
        const { session_id, parent_id, root_id } = row.session.metadata;
        yield { ...place, session_id, parent_id, root_id, seq: message.seq, message: cloneJson(message) };
      }
    }
  }
}

/** Conditions of a query that the summary of a session answers as it is. */
const EQUAL = ['parent_id', 'agent_name', 'profile_name', 'forked_from', 'imported_from'] as const;

function takeFromOwner(session: MemorySession): void {
  session.owner = null;
  session.epoch++;
}

function isInTree({ session_id, root_id }: Pick<SessionMetadata, 'session_id' | 'root_id'>, root: string) {
  return session_id === root || root_id === root;
}

function isWithin(of: FeedScope, { session_id, root_id }: SessionMetadata): boolean {
  return 'root_id' in of ? root_id === of.root_id : session_id === of.session_id;
}

function summaryOf({ metadata }: MemorySession): SessionSummary {
  const { session_id, project, parent_id, root_id, agent_name, tool_call_id, profile_name } = metadata;
  const { created, forked_from, imported_from, name, status, updated, ended } = metadata;
  const { message_count, turn_count, interrupted } = metadata;
  return {
    ...{ session_id, project, parent_id, root_id, agent_name, tool_call_id, profile_name, created },
    forked_from: forked_from?.session_id ?? null,
    imported_from: imported_from?.session_id ?? null,
    ...{ name, status, updated, ended, message_count, turn_count, interrupted },
  };
}

function nodeOf(session: MemorySession): SessionNode {
  const { model, started, event_count, error, usage, last_outcome, extra } = session.metadata;
  const { plan: _, ...launch } = session.documents.launch ?? {};
  return cloneJson({
    ...summaryOf(session),
    ...{ model, started, event_count, error, usage, last_outcome, extra },
    isOwned: session.owner !== null,
    launch: session.documents.launch ? launch : null,
  });
}

/** Copies of the records of a range. */
function within<Stored extends object>(records: readonly Stored[], range: Range): Stored[] {
  checkRange(range);
  const { after = 0, before = records.length + 1, limit = records.length, bytes } = range;
  const end = Math.max(after, Math.min(before - 1, after + limit));
  return cloneJson(fitting(records.slice(after, end), bytes));
}

/** The first that fit into so many bytes, at least one. */
function fitting<Stored>(records: Stored[], bytes?: number): Stored[] {
  if (bytes === undefined) return records;
  let left = bytes;
  const end = records.findIndex((each, at) => {
    left -= Buffer.byteLength(JSON.stringify(each));
    return at > 0 && left < 0;
  });
  return records.slice(0, Math.min(end === -1 ? records.length : end, MAX_PAGE));
}

function sizeOf(value: unknown): number {
  return JSON.stringify(value).length;
}

async function* onePage<T>(records: readonly T[]): AsyncGenerator<readonly T[]> {
  if (records.length > 0) yield cloneJson(records);
}
