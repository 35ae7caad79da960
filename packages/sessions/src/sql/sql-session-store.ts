import { rm } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import type { LiveText, LoopHealth } from '@amplifier/core';
import { type Database, run, type Work } from '../database/database.js';
import { DAY_MS, MAX_PAGE } from '../defaults.js';
import type { NewMailItem } from '../mailbox.js';
import type { RecordLog } from '../record-log.js';
import type { NewSession, SessionContents, SessionMetadata } from '../records.js';
import { checkCount } from '../refusals.js';
import { checkSessionId } from '../session-ids.js';
import type {
  CreateOptions,
  DeleteOptions,
  ExportedSession,
  ForkOptions,
  ImportOptions,
  OpenOptions,
  SessionStore,
} from '../session-store.js';
import { createSession, forkSession } from './create-session.js';
import { insertImported } from './exchange-session.js';
import { sendMail } from './mail.js';
import { putNote } from './notes.js';
import { freeLeft, openSession } from './open-session.js';
import { deleteSession, purgeSessions, restoreSession, unremoved } from './remove-sessions.js';
import { SessionReader } from './session-reader.js';
import type { SessionRow } from './session-row.js';
import { SqlShelf } from './sql-shelf.js';
import { type RecordFollower, type SqlSessionStoreOptions, StoreContext } from './store-context.js';

/** One that somebody writes is not to be marked anew with each of its commits. */
const MARK_COPIED = `UPDATE sessions SET is_copied = 1 WHERE session_id = ? AND deleted IS NULL AND owner IS NULL
  AND message_count = ? AND event_count = ?`;

/** Sessions in a database. `release` is called when the store is closed. */
export class SqlSessionStore extends SessionReader implements SessionStore {
  readonly #release: () => Promise<void>;
  readonly #beside: (() => Promise<void>)[] = [];
  readonly live: LiveText;
  readonly shelf: SqlShelf;

  constructor(
    database: Database,
    options: SqlSessionStoreOptions = {},
    release = async () => {},
    context = new StoreContext(database, options),
  ) {
    super(context);
    this.#release = release;
    const { clock, liveness, live } = context;
    this.live = live;
    this.shelf = new SqlShelf(database.whole ?? database, { clock, liveness });
  }

  /** Through another view of the database, for as long as this store is open; closing it is no use of it. What is open and said is shared. */
  on(view: (database: Database) => Database): SqlSessionStore {
    const database = view(this.database);
    const context: StoreContext = Object.create(this.openContext, { database: { value: database } });
    return new SqlSessionStore(database, {}, undefined, context);
  }

  async create(
    session: NewSession = {},
    contents: SessionContents = {},
    options: CreateOptions = {},
  ): Promise<RecordLog> {
    return createSession(this.openContext, session, contents, options);
  }

  async open(session_id: string, options: OpenOptions = {}): Promise<RecordLog> {
    return openSession(this.openContext, session_id, options);
  }

  async fork(session_id: string, options: ForkOptions = {}): Promise<RecordLog> {
    return forkSession(this.openContext, session_id, options);
  }

  async recover(): Promise<string[]> {
    return this.write(() => freeLeft(this.context));
  }

  async send(item: NewMailItem): Promise<{ id: string }> {
    return sendMail(this.openContext, item);
  }

  async delete(session_id: string, options: DeleteOptions = {}): Promise<string[]> {
    const work = () => deleteSession(this.context, session_id, options);
    const gone = await this.write(work, checkSessionId(session_id));
    await this.#removeCopies(gone);
    return gone.map(({ session_id }) => session_id);
  }

  /** Finishes what a process that died between deleting sessions and removing their copies did not get to. */
  async removeLeft(): Promise<void> {
    if (this.context.follower) await this.#removeCopies(await this.read(() => unremoved(MAX_PAGE)));
  }

  async restore(session_id: string): Promise<string[]> {
    const back = await this.write(() => restoreSession(session_id), checkSessionId(session_id));
    for (const each of back) this.context.follower?.touch(each);
    return back;
  }

  async emptyTrash(older_than_days: number): Promise<string[]> {
    checkCount('older_than_days', older_than_days);
    await this.removeLeft();
    const cutoff = new Date(this.context.clock.now() - older_than_days * DAY_MS).toISOString();
    const purged = await this.write(() => purgeSessions(cutoff));
    for (const session_id of purged) {
      const folder = this.answersFolder(session_id);
      // Another session may have the id of one that was put away.
      if (folder !== null && !(await this.has(session_id)))
        await rm(folder, { recursive: true, force: true });
    }
    return purged;
  }

  answersFolder(session_id: string): string | null {
    const { name } = this.database;
    return isAbsolute(name) ? join(dirname(name), 'answers', checkSessionId(session_id)) : null;
  }

  async import(session: ExportedSession, options: ImportOptions = {}): Promise<string> {
    const session_id = await insertImported(this.openContext, session, options);
    this.context.follower?.touch(session_id);
    return session_id;
  }

  /** The same for one that comes from our own home, where no session can write: it stays all it was. */
  async takeIn(session: ExportedSession, project = this.context.project): Promise<void> {
    await insertImported(this.openContext, session, { isOurs: true, project });
  }

  async putNote(name: string, value: string | null): Promise<void> {
    await this.write(() => putNote(name, value));
  }

  /** From now on `follower` is told what changes, and brings it up to date when the store is closed. */
  follow(follower: RecordFollower): void {
    this.context.follower = follower;
    this.onClose(() => follower.close());
  }

  /** Called when the store is closed, while it can still be read. */
  onClose(close: () => Promise<void>): void {
    this.#beside.push(close);
  }

  /** What is kept beside the record shows all that the session had when it had so many records. */
  markCopied({ session_id, message_count, event_count }: SessionMetadata): void {
    const mark = () => run(MARK_COPIED, session_id, message_count, event_count);
    // A copy that is not known to be there is written once more.
    this.database.write(mark, { trailing: true, durability: 'process' }).catch(() => {});
  }

  /** What this process has done to the record so far. For measurements. */
  get counts(): { commits: number; syncs: number; statements: number } {
    const { commits, syncs = 0, statements = 0 } = this.database;
    return { commits, syncs, statements };
  }

  /** Brings the readable copies up to date, for whoever is about to look at them. */
  async writeCopies(): Promise<void> {
    await this.context.follower?.write();
  }

  /** How what serves this store for as long as it is open is. */
  get health(): LoopHealth[] {
    const { follower, process, database } = this.context;
    return [process.health, follower?.health, database.health].filter((each) => each !== undefined);
  }

  async close(): Promise<void> {
    if (this.isClosing) return;
    this.isClosing = true;
    try {
      await Promise.all([...this.context.logs].map((log) => log.close()));
      // The last copies may still look things up.
      for (const close of this.#beside) await close();
      await this.context.process.leave();
    } finally {
      this.isClosed = true;
      await this.#release();
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #removeCopies(gone: readonly Pick<SessionRow, 'n' | 'project' | 'session_id'>[]): Promise<void> {
    const { follower } = this.context;
    for (const { n, project, session_id } of follower ? gone : []) {
      await follower?.remove(project, session_id);
      const mark = () => run('UPDATE sessions SET is_copied = 1 WHERE n = ? AND deleted IS NOT NULL', n);
      // Copies that are not known to be removed are looked for once more.
      this.database.write(mark, { trailing: true }).catch(() => {});
    }
  }

  protected async write<T>(work: () => Work<T>, ...topics: string[]): Promise<T> {
    return this.openContext.database.write(work, { topics });
  }
}
