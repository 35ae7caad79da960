import { all, type Database, type Work } from '../database/database.js';
import { MAX_PAGE } from '../defaults.js';
import { parseFeedCursor } from '../feed-cursor.js';
import { pageOf } from '../list-pages.js';
import type { DocumentName, Range, SessionMetadata, SessionVersion } from '../records.js';
import { SessionError } from '../session-error.js';
import { checkSessionId } from '../session-ids.js';
import type {
  FeedEntry,
  FeedItem,
  FeedPage,
  FeedScope,
  FollowFeed,
  SessionExport,
  SessionOwner,
  SessionQuery,
} from '../session-store.js';
import { childrenTopic, mailTopic, TOPIC_FEED } from '../topic-names.js';
import { eventEntry, feedEntries, followFeed, followSession, lastEntry } from './follow.js';
import { childOfCall } from './insert-session.js';
import { listSessions, resolvePrefix, sessionSpends, sessionTree } from './list-sessions.js';
import { mailOf, mailPages } from './mail.js';
import { knownNames, noteOf } from './notes.js';
import { unowned } from './open-session.js';
import {
  collect,
  documentsDigest,
  eventsOf,
  lastMessagesOf,
  messagesOf,
  readDocuments,
} from './read-records.js';
import { bytesOf } from './remove-sessions.js';
import {
  CHILDREN,
  findMetadata,
  findVersion,
  hasSession,
  mustFindRow,
  outlinesBut,
  type SessionRow,
  summaries,
  summaryOf,
} from './session-row.js';
import type { StoreContext } from './store-context.js';

const PROJECTS =
  'SELECT DISTINCT project FROM sessions WHERE project IS NOT NULL AND deleted IS NULL ORDER BY project';

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
    return this.read(() => hasSession(session_id), [checkSessionId(session_id)]);
  }

  async resolve(prefix: string): Promise<string> {
    if (await this.has(prefix)) return prefix;
    return this.read(() => resolvePrefix(prefix, this.context.project));
  }

  /** What the record is called: a file, or a server. */
  get name(): string {
    return this.database.name;
  }

  /** Whose sessions these are; null: everybody's. */
  get tenant(): string | null {
    return this.database.tenant ?? null;
  }

  note(name: string): Promise<string | null> {
    return this.read(() => noteOf(name));
  }

  /** The ids of all sessions that are or were here, and the names of all notes that begin so. */
  known(prefix: string): Promise<Set<string>> {
    return this.read(() => knownNames(prefix));
  }

  /** Sessions that nobody writes and whose copies are not known to be whole: at most so many. */
  async uncopied(limit: number): Promise<string[]> {
    const found = await this.read(() => unowned(this.context, 'is_copied = 0 LIMIT ?', limit));
    return found.map(({ session_id }) => session_id);
  }

  /** Every project that has sessions, by its slug. */
  async projects(): Promise<string[]> {
    return (await this.read(() => all<{ project: string }>(PROJECTS))).map(({ project }) => project);
  }

  async metadata(session_id: string): Promise<SessionMetadata> {
    return (await this.read(() => findMetadata(session_id), [checkSessionId(session_id)])).metadata;
  }

  async version(session_id: string): Promise<SessionVersion> {
    return this.read(() => findVersion(session_id), [checkSessionId(session_id)]);
  }

  async messages(session_id: string, range: Range = {}) {
    return collect(messagesOf(this.database, await this.find(session_id), range));
  }

  async tail(session_id: string, count: number, range: Pick<Range, 'before' | 'bytes'> = {}) {
    const row = await this.find(session_id);
    return collect(lastMessagesOf(this.database, row, { ...range, limit: count }));
  }

  async events(session_id: string, range: Range = {}) {
    return collect(eventsOf(this.database, await this.find(session_id), range));
  }

  async document<Name extends DocumentName>(session_id: string, name: Name) {
    return (await this.readRow(session_id, (row) => readDocuments(row, name)))[name] ?? null;
  }

  /** Changes whenever a document of the session does. */
  async documentsDigest(session_id: string): Promise<string> {
    return this.readRow(session_id, documentsDigest);
  }

  async owner(session_id: string): Promise<SessionOwner | null> {
    const { process } = this.context;
    return this.readRow(session_id, function* (row) {
      const { owned_since, owner_lease: lease } = row;
      const owner = yield* process.ownerOf(row);
      return owner && { pid: owner.pid, host: owner.host, since: owned_since ?? '', lease };
    });
  }

  async list({ project = this.context.project, ...query }: SessionQuery = {}) {
    return this.read(() => listSessions({ ...query, project }, summaries));
  }

  async outlines<Known extends string = never>(
    { project = this.context.project, ...query }: SessionQuery = {},
    recall: (version: SessionVersion) => Known | undefined = () => undefined,
  ) {
    const reading = outlinesBut(recall, query.bytes);
    const page = await this.read(() => listSessions({ ...query, project }, reading));
    const unread = page.sessions.findIndex(({ outline }) => outline === undefined);
    const { sessions, next_cursor } = unread === -1 ? page : pageOf(page.sessions, unread);
    return { sessions: sessions.flatMap(({ outline }) => outline ?? []), next_cursor };
  }

  async children(parent_id: string) {
    return this.read(() => summaries(CHILDREN, checkSessionId(parent_id)));
  }

  async tree(root_id: string, limit = MAX_PAGE) {
    return this.read(() => sessionTree(checkSessionId(root_id), limit));
  }

  async spend(range: { from?: string; to?: string } = {}) {
    return this.read(() => sessionSpends(range));
  }

  async childOfCall(parent_id: string, tool_call_id: string): Promise<string | null> {
    const topics = [childrenTopic(checkSessionId(parent_id))];
    return this.openContext.database.read(() => childOfCall(parent_id, tool_call_id), topics);
  }

  async orphaned() {
    const which = "status = 'active' ORDER BY created, session_id";
    return (await this.read(() => unowned(this.context, which))).map(summaryOf);
  }

  async *watch(session_id: string, options: Parameters<typeof followSession>[2] = {}) {
    yield* followSession(this.database, await this.find(session_id), options);
  }

  feed(options: FollowFeed & { messages: true }): AsyncGenerator<FeedEntry>;
  feed(options?: FollowFeed): AsyncGenerator<FeedItem>;
  async *feed(options: FollowFeed = {}): AsyncGenerator<FeedEntry> {
    yield* followFeed(this.openContext.database, options);
  }

  async feedPage({ after, until, ...options }: FeedPage): Promise<FeedEntry[]> {
    const range = [parseFeedCursor(after), parseFeedCursor(until)] as const;
    return this.openContext.database.read(() => feedEntries(options, ...range));
  }

  async feedCursor(of?: FeedScope): Promise<string> {
    const { database } = this.openContext;
    return String(await database.read(() => lastEntry(database, of), [TOPIC_FEED]));
  }

  async eventCursor(session_id: string, seq: number): Promise<string | null> {
    return this.readRow(session_id, ({ n }) => eventEntry(n, seq));
  }

  async mail(session_id: string) {
    return this.readRow(session_id, ({ n }) => mailOf(n, session_id), mailTopic(session_id));
  }

  sync(): Promise<void> {
    return this.openContext.database.sync();
  }

  async export(session_id: string): Promise<SessionExport> {
    const row = await this.find(session_id);
    return {
      session_id,
      documents: await this.database.read(() => readDocuments(row)),
      events: eventsOf(this.database, row),
      messages: messagesOf(this.database, row),
      mail: mailPages(this.database, row),
    };
  }

  async size(session_id: string): Promise<number> {
    return this.readRow(session_id, bytesOf);
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
    return this.read(() => mustFindRow(session_id), [checkSessionId(session_id)]);
  }

  protected readRow<T>(session_id: string, work: (row: SessionRow) => Work<T>, ...topics: string[]) {
    const onRow = function* () {
      return yield* work(yield* mustFindRow(session_id));
    };
    return this.read(onRow, [checkSessionId(session_id), ...topics]);
  }

  protected async read<T>(work: () => Work<T>, topics: readonly string[] | 'all' = 'all'): Promise<T> {
    if (this.isClosed) throw closed();
    return this.database.read(work, topics);
  }
}

function closed(): SessionError {
  return new SessionError('The session store is closed; open it again.', { code: 'LOG_CLOSED' });
}
