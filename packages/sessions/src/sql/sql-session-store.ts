import { isoTime, type Report } from '@amplifier/core';
import { type AdoptOptions, adoptFolders } from '../adopt/adopt-folders.js';
import { all, type Database, run, type Work } from '../database/database.js';
import type { ImportOptions } from '../export-session.js';
import { jsonText } from '../json-text.js';
import type { Letter, NewLetter } from '../mailbox.js';
import type {
  DocumentName,
  NewSession,
  SessionContents,
  SessionDocuments,
  SessionEvent,
  SessionMetadata,
  SessionSummary,
  TranscriptLine,
} from '../records.js';
import { checkCount, checkRange } from '../refusals.js';
import { SessionError } from '../session-error.js';
import { checkSessionId } from '../session-ids.js';
import type {
  DeleteOptions,
  FeedItem,
  ForkOptions,
  OpenOptions,
  Range,
  RetentionPolicy,
  RetentionReport,
  SessionChange,
  SessionOwner,
  SessionPage,
  SessionQuery,
  SessionStore,
} from '../session-store.js';
import { createSession, forkSession } from './create-session.js';
import { parseDocument, readDocument } from './documents.js';
import { exportSession, importSession, parseLetter } from './exchange-session.js';
import { followAll, followSession, lastEvent } from './follow.js';
import { childOfCall, lettersOf } from './insert-session.js';
import { listSessions } from './list-sessions.js';
import { freeLeft, openSession, requireFree } from './open-session.js';
import { collect, eventsOf, messagesOf } from './read-records.js';
import { deleteSession, purgeSessions, restoreSession } from './remove-sessions.js';
import { resolvePrefix, rowsWithPrefix } from './resolve-prefix.js';
import { retainSessions } from './retain-sessions.js';
import { childRows, findMetadata, findRow, mustFindRow, type SessionRow, summaryOf } from './session-row.js';
import type { SqlSessionLog } from './sql-session-log.js';
import { type SqlSessionStoreOptions, StoreContext } from './store-context.js';
import { childrenTopic, mailTopic, TOPIC_FEED } from './topic-names.js';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Sessions in a database. `release` is called when the store is closed. */
export class SqlSessionStore implements SessionStore {
  readonly #context: StoreContext;
  readonly #database: Database;
  readonly #release: () => Promise<void>;
  #isClosed = false;

  constructor(database: Database, options: SqlSessionStoreOptions = {}, release = async () => {}) {
    this.#context = new StoreContext(database, options);
    this.#database = database;
    this.#release = release;
  }

  async create(session: NewSession = {}, contents: SessionContents = {}): Promise<SqlSessionLog> {
    this.#requireOpen();
    return createSession(this.#context, session, contents);
  }

  async open(session_id: string, options: OpenOptions = {}): Promise<SqlSessionLog> {
    this.#requireOpen();
    return openSession(this.#context, session_id, options);
  }

  async fork(session_id: string, options: ForkOptions = {}): Promise<SqlSessionLog> {
    this.#requireOpen();
    return forkSession(this.#context, session_id, options);
  }

  async has(session_id: string): Promise<boolean> {
    return (await this.#read(session_id, () => findRow(session_id))) !== undefined;
  }

  async resolve(prefix: string): Promise<string> {
    if (await this.has(prefix)) return prefix;
    return resolvePrefix(
      prefix,
      await this.#database.read(() => rowsWithPrefix(prefix), 'all'),
      this.#context.project,
    );
  }

  /** Every project that has sessions, by its slug. */
  async projects(): Promise<string[]> {
    this.#requireOpen();
    const rows = await this.#database.read(
      () =>
        all<{ project: string }>(
          'SELECT DISTINCT project FROM sessions WHERE project IS NOT NULL AND deleted IS NULL ORDER BY project',
        ),
      'all',
    );
    return rows.map(({ project }) => project);
  }

  async projectOf(session_id: string): Promise<string | null> {
    return (await this.#find(session_id)).project;
  }

  async metadata(session_id: string): Promise<SessionMetadata> {
    return (await this.#read(session_id, () => findMetadata(session_id))).metadata;
  }

  async messages(session_id: string, range: Range = {}): Promise<TranscriptLine[]> {
    return collect(messagesOf(this.#database, await this.#find(session_id), range));
  }

  async tail(session_id: string, count: number): Promise<TranscriptLine[]> {
    checkRange({ limit: count });
    const row = await this.#find(session_id);
    return collect(messagesOf(this.#database, row, { after: Math.max(0, row.message_count - count) }));
  }

  async events(session_id: string, range: Range = {}): Promise<SessionEvent[]> {
    return collect(eventsOf(this.#database, await this.#find(session_id), range));
  }

  async document<Name extends DocumentName>(
    session_id: string,
    name: Name,
  ): Promise<SessionDocuments[Name] | null> {
    const found = await this.#read(session_id, function* () {
      return yield* readDocument((yield* mustFindRow(session_id)).n, name);
    });
    return found ? (parseDocument(found, session_id) as SessionDocuments[Name]) : null;
  }

  async owner(session_id: string): Promise<SessionOwner | null> {
    const { process } = this.#context;
    return this.#read(session_id, function* () {
      const row = yield* mustFindRow(session_id);
      const owner = yield* process.ownerOf(row);
      if (!owner) return null;
      return { pid: owner.pid, host: owner.host, since: row.owned_since ?? '', lease: row.owner_lease };
    });
  }

  async list(query: SessionQuery = {}): Promise<SessionPage> {
    this.#requireOpen();
    const { project = this.#context.project } = query;
    return this.#database.read(() => listSessions({ ...query, project }), 'all');
  }

  async children(parent_id: string): Promise<SessionSummary[]> {
    this.#requireOpen();
    checkSessionId(parent_id);
    return (await this.#database.read(() => childRows(parent_id), 'all')).map(summaryOf);
  }

  async childOfCall(parent_id: string, tool_call_id: string): Promise<string | null> {
    this.#requireOpen();
    checkSessionId(parent_id);
    return this.#database.read(() => childOfCall(parent_id, tool_call_id), [childrenTopic(parent_id)]);
  }

  async orphaned(): Promise<SessionSummary[]> {
    this.#requireOpen();
    const { process } = this.#context;
    const rows = await this.#database.read(function* () {
      const active = yield* all<SessionRow>(
        "SELECT * FROM sessions WHERE status = 'active' AND deleted IS NULL ORDER BY created, session_id",
      );
      const left: SessionRow[] = [];
      for (const row of active) if (!(yield* process.ownerOf(row))) left.push(row);
      return left;
    }, 'all');
    return rows.map(summaryOf);
  }

  async recover(): Promise<string[]> {
    this.#requireOpen();
    return this.#database.write(() => freeLeft(this.#context, Date.now()));
  }

  async *watch(
    session_id: string,
    options: { after_message?: number; after_event?: number; signal?: AbortSignal } = {},
  ): AsyncGenerator<SessionChange> {
    yield* followSession(this.#database, await this.#find(session_id), options);
  }

  async *feed(options: { after?: string; signal?: AbortSignal } = {}): AsyncGenerator<FeedItem> {
    this.#requireOpen();
    yield* followAll(this.#database, options);
  }

  async feedCursor(): Promise<string> {
    this.#requireOpen();
    return String(await this.#database.read(lastEvent, [TOPIC_FEED]));
  }

  async send({ to, kind, from = null, id, reply_to = null, body }: NewLetter): Promise<{ id: string }> {
    this.#requireOpen();
    checkSessionId(to);
    const own = id ?? `letter_${this.#context.source.ulid()}`;
    const time = this.#context.source.time();
    const text = jsonText({ id: own, to, kind, from, reply_to, time, body }, to);
    await this.#database.write(
      function* () {
        const { n } = yield* mustFindRow(to);
        yield* run(
          'INSERT INTO mail (session, id, body) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
          n,
          own,
          text,
        );
      },
      { topics: [mailTopic(to)] },
    );
    return { id: own };
  }

  async letters(session_id: string): Promise<Letter[]> {
    const { n } = await this.#find(session_id);
    const rows = await this.#database.read(() => lettersOf(n), [mailTopic(session_id)]);
    return rows.map((row) => parseLetter(row, session_id));
  }

  async delete(session_id: string, options: DeleteOptions = {}): Promise<string[]> {
    this.#requireOpen();
    checkSessionId(session_id);
    const now = isoTime(this.#context.clock);
    const free = (row: SessionRow) => requireFree(this.#context, row);
    const doomed = await this.#database.write(() => deleteSession(session_id, options, free, now), {
      topics: [session_id],
    });
    for (const row of doomed) await this.#context.copies?.remove(row.project, row.session_id);
    return doomed.map((row) => row.session_id);
  }

  async restore(session_id: string): Promise<void> {
    this.#requireOpen();
    checkSessionId(session_id);
    await this.#database.write(() => restoreSession(session_id), { topics: [session_id] });
    this.#context.copies?.touch(session_id);
  }

  async emptyTrash(older_than_days: number): Promise<string[]> {
    this.#requireOpen();
    checkCount('older_than_days', older_than_days);
    const cutoff = new Date(this.#context.clock.now() - older_than_days * DAY_MS).toISOString();
    return this.#database.write(() => purgeSessions(cutoff));
  }

  async retain(policy: RetentionPolicy): Promise<RetentionReport> {
    this.#requireOpen();
    const { report, gone } = await retainSessions(this.#context, policy);
    for (const row of gone) await this.#context.copies?.remove(row.project, row.session_id);
    return report;
  }

  async *export(session_id: string): AsyncGenerator<string> {
    yield* exportSession(this.#context, await this.#find(session_id));
  }

  async import(
    lines: AsyncIterable<string> | Iterable<string>,
    options: ImportOptions = {},
  ): Promise<string> {
    this.#requireOpen();
    const session_id = await importSession(this.#context, lines, options);
    this.#context.copies?.touch(session_id);
    return session_id;
  }

  /** Takes in the sessions of a folder that are not in the record. Returns how many there were. */
  adoptFrom(folder: string, report: Report, options?: AdoptOptions): Promise<number> {
    return adoptFolders(this.#context, folder, report, options);
  }

  /** How many commits this process has made to the record, for whoever measures. */
  get commits(): number {
    return this.#database.commits;
  }

  /** Brings the readable copies up to date, for whoever is about to look at them. */
  async writeCopies(): Promise<void> {
    await this.#context.copies?.close();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    try {
      await Promise.all([...this.#context.logs].map((log) => log.close()));
      await this.#context.copies?.close();
      await this.#context.process.leave();
    } finally {
      await this.#release();
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #find(session_id: string): Promise<SessionRow> {
    return this.#read(session_id, () => mustFindRow(session_id));
  }

  async #read<T>(session_id: string, work: () => Work<T>): Promise<T> {
    this.#requireOpen();
    checkSessionId(session_id);
    return this.#database.read(work, [session_id]);
  }

  #requireOpen(): void {
    if (!this.#isClosed) return;
    throw new SessionError('The session store is closed; open it again.', { code: 'LOG_CLOSED' });
  }
}
