import type { Database, Work } from '../database/database.js';
import { MAX_PAGE } from '../defaults.js';
import type { DocumentName, Range, SessionDocuments, SessionMetadata } from '../records.js';
import { checkRange } from '../refusals.js';
import { SessionError } from '../session-error.js';
import { checkSessionId } from '../session-ids.js';
import type { SeenMessages, SessionQuery } from '../session-store.js';
import { readWhole } from './exchange-session.js';
import { followAll, followSession, lastEvent } from './follow.js';
import { childOfCall } from './insert-session.js';
import { listProjects, listSessions, resolvePrefix } from './list-sessions.js';
import { mailOf } from './mail.js';
import { messageFeed } from './message-feed.js';
import { knownNames, noteOf } from './notes.js';
import { leftActive, ownerOf, uncopied } from './open-session.js';
import { collect, eventsOf, messagesOf, parseDocument, readDocuments } from './read-records.js';
import { bytesOf } from './remove-sessions.js';
import {
  CHILDREN,
  findMetadata,
  hasSession,
  mustFindRow,
  type SessionRow,
  summaries,
  summaryOf,
} from './session-row.js';
import { sessionSpends, sessionTree } from './session-tree.js';
import type { StoreContext } from './store-context.js';
import { childrenTopic, mailTopic, TOPIC_FEED } from './topic-names.js';

/** What can be read of the sessions in a database, by whoever. */
export class SessionReader {
  protected readonly context: StoreContext;
  /** Nothing new is begun. */
  protected isClosing = false;
  protected isClosed = false;

  constructor(context: StoreContext) {
    this.context = context;
  }

  async has(session_id: string): Promise<boolean> {
    return this.read(session_id, () => hasSession(session_id));
  }

  async resolve(prefix: string): Promise<string> {
    if (await this.has(prefix)) return prefix;
    return this.readAll(() => resolvePrefix(prefix, this.context.project));
  }

  /** What the record is called: a file, or a server. */
  get name(): string {
    return this.database.name;
  }

  /** Whose sessions these are; null: everybody's. */
  get tenant(): string | null {
    return this.database.tenant ?? null;
  }

  /** What the record remembers under a name. */
  note(name: string): Promise<string | null> {
    return this.readAll(() => noteOf(name));
  }

  /** The ids of all sessions that are or were here, and the names of all notes that begin so. */
  known(prefix: string): Promise<Set<string>> {
    return this.readAll(() => knownNames(prefix));
  }

  /** Sessions that nobody writes and whose copies are not known to be whole: at most so many. */
  uncopied(limit: number): Promise<string[]> {
    return this.readAll(() => uncopied(this.context, limit));
  }

  /** Every project that has sessions, by its slug. */
  async projects(): Promise<string[]> {
    return this.readAll(listProjects);
  }

  async metadata(session_id: string): Promise<SessionMetadata> {
    return (await this.read(session_id, () => findMetadata(session_id))).metadata;
  }

  async messages(session_id: string, range: Range = {}) {
    return collect(messagesOf(this.database, await this.find(session_id), range));
  }

  async tail(session_id: string, count: number) {
    checkRange({ limit: count });
    const row = await this.find(session_id);
    return collect(messagesOf(this.database, row, { after: Math.max(0, row.message_count - count) }));
  }

  async events(session_id: string, range: Range = {}) {
    return collect(eventsOf(this.database, await this.find(session_id), range));
  }

  async document<Name extends DocumentName>(
    session_id: string,
    name: Name,
  ): Promise<SessionDocuments[Name] | null> {
    const [found] = await this.read(session_id, function* () {
      return yield* readDocuments((yield* mustFindRow(session_id)).n, name);
    });
    return found ? (parseDocument(found, session_id) as SessionDocuments[Name]) : null;
  }

  async owner(session_id: string) {
    return this.read(session_id, () => ownerOf(this.context, session_id));
  }

  async list(query: SessionQuery = {}) {
    const { project = this.context.project } = query;
    return this.readAll(() => listSessions({ ...query, project }));
  }

  async children(parent_id: string) {
    checkSessionId(parent_id);
    return this.readAll(() => summaries(CHILDREN, parent_id));
  }

  async tree(root_id: string, limit = MAX_PAGE) {
    checkSessionId(root_id);
    return this.readAll(() => sessionTree(root_id, limit));
  }

  async spend(range: { from?: string; to?: string } = {}) {
    return this.readAll(() => sessionSpends(range));
  }

  async childOfCall(parent_id: string, tool_call_id: string): Promise<string | null> {
    const topics = [childrenTopic(checkSessionId(parent_id))];
    return this.openContext.database.read(() => childOfCall(parent_id, tool_call_id), topics);
  }

  async orphaned() {
    return (await this.readAll(() => leftActive(this.context))).map(summaryOf);
  }

  async *watch(
    session_id: string,
    options: { after_message?: number; after_event?: number; signal?: AbortSignal } = {},
  ) {
    yield* followSession(this.database, await this.find(session_id), options);
  }

  async *feed(options: { after?: string; signal?: AbortSignal } = {}) {
    yield* followAll(this.openContext.database, options);
  }

  async *messageFeed(options: { signal?: AbortSignal; seen?: SeenMessages } = {}) {
    yield* messageFeed(this.openContext.database, options);
  }

  async feedCursor(): Promise<string> {
    const { database } = this.openContext;
    return String(await database.read(() => lastEvent(database), [TOPIC_FEED]));
  }

  async mail(session_id: string) {
    const { n } = await this.find(session_id);
    return this.database.read(() => mailOf(n, session_id), [mailTopic(session_id)]);
  }

  async export(session_id: string) {
    return readWhole(this.context, await this.find(session_id));
  }

  async size(session_id: string): Promise<number> {
    return this.read(session_id, function* () {
      return yield* bytesOf((yield* mustFindRow(session_id)).n);
    });
  }

  protected get database(): Database {
    return this.context.database;
  }

  /** For what begins something. */
  protected get openContext(): StoreContext {
    if (this.isClosing) throw closed();
    return this.context;
  }

  protected find(session_id: string): Promise<SessionRow> {
    return this.read(session_id, () => mustFindRow(session_id));
  }

  protected async read<T>(session_id: string, work: () => Work<T>): Promise<T> {
    if (this.isClosed) throw closed();
    return this.database.read(work, [checkSessionId(session_id)]);
  }

  protected async readAll<T>(work: () => Work<T>): Promise<T> {
    if (this.isClosed) throw closed();
    return this.database.read(work, 'all');
  }
}

function closed(): SessionError {
  return new SessionError('The session store is closed; open it again.', { code: 'LOG_CLOSED' });
}
