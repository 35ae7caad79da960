import { rm } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { isoTime, type LoopHealth, type Report } from '@amplifier/core';
import { adoptFolders } from '../adopt/adopt-folders.js';
import type { CopyLayout } from '../copies/copy-layout.js';
import type { Database } from '../database/database.js';
import { DAY_MS } from '../defaults.js';
import { type ImportOptions, readExport } from '../export-session.js';
import type { LiveText } from '../live/live-text.js';
import type { NewMailItem } from '../mailbox.js';
import type { NewSession, SessionContents } from '../records.js';
import { checkCount } from '../refusals.js';
import { checkSessionId } from '../session-ids.js';
import type {
  DeleteOptions,
  ForkOptions,
  OpenOptions,
  RetentionPolicy,
  SessionStore,
} from '../session-store.js';
import { type Rebuilt, takeIn, takeInAll } from '../set-aside.js';
import { createSession, forkSession } from './create-session.js';
import { insertImported } from './exchange-session.js';
import { sendMail } from './mail.js';
import { freeLeft, openSession, requireFree } from './open-session.js';
import { deleteSession, purgeSessions, restoreSession } from './remove-sessions.js';
import { retainSessions } from './retain-sessions.js';
import { SessionReader } from './session-reader.js';
import type { SessionRow } from './session-row.js';
import type { SqlSessionLog } from './sql-session-log.js';
import { type SqlSessionStoreOptions, StoreContext } from './store-context.js';

/** Sessions in a database. `release` is called when the store is closed. */
export class SqlSessionStore extends SessionReader implements SessionStore {
  readonly #release: () => Promise<void>;

  constructor(database: Database, options: SqlSessionStoreOptions = {}, release = async () => {}) {
    super(new StoreContext(database, options));
    this.#release = release;
  }

  get live(): LiveText {
    return this.context.live;
  }

  async create(session: NewSession = {}, contents: SessionContents = {}): Promise<SqlSessionLog> {
    return createSession(this.openContext, session, contents);
  }

  async open(session_id: string, options: OpenOptions = {}): Promise<SqlSessionLog> {
    return openSession(this.openContext, session_id, options);
  }

  async fork(session_id: string, options: ForkOptions = {}): Promise<SqlSessionLog> {
    return forkSession(this.openContext, session_id, options);
  }

  async recover(): Promise<string[]> {
    return this.openContext.database.write(() => freeLeft(this.context, this.context.clock.now()));
  }

  async send(item: NewMailItem): Promise<{ id: string }> {
    return sendMail(this.openContext, item);
  }

  async delete(session_id: string, options: DeleteOptions = {}): Promise<string[]> {
    const { database, clock } = this.openContext;
    checkSessionId(session_id);
    const free = (row: SessionRow) => requireFree(this.context, row);
    const work = () => deleteSession(session_id, options, free, isoTime(clock));
    return this.#removeCopies(await database.write(work, { topics: [session_id] }));
  }

  async restore(session_id: string): Promise<string[]> {
    const { database, copies } = this.openContext;
    const work = () => restoreSession(checkSessionId(session_id));
    const back = await database.write(work, { topics: [session_id] });
    for (const each of back) copies?.touch(each);
    return back;
  }

  async emptyTrash(older_than_days: number): Promise<string[]> {
    const { database, clock } = this.openContext;
    checkCount('older_than_days', older_than_days);
    const cutoff = new Date(clock.now() - older_than_days * DAY_MS).toISOString();
    const purged = await database.write(() => purgeSessions(cutoff));
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

  async retain(policy: RetentionPolicy) {
    const { report, gone } = await retainSessions(this.openContext, policy);
    await this.#removeCopies(gone);
    return report;
  }

  async import(
    lines: AsyncIterable<string> | Iterable<string>,
    options: ImportOptions = {},
  ): Promise<string> {
    const session_id = await insertImported(this.openContext, await readExport(lines), options);
    this.context.copies?.touch(session_id);
    return session_id;
  }

  /** Takes in what is not in the record: sessions of a folder, by other programs, and those of a record that was lost. */
  async takeIn(options: SqlSessionStoreOptions): Promise<Rebuilt | null> {
    return takeIn(this.context, options);
  }

  /** The same for the folders of every project. */
  async takeInAll(layout: CopyLayout, report?: Report): Promise<void> {
    await takeInAll(this.context, layout, report);
  }

  /** Takes in the readable copies of another record of ours. Returns how many were new. */
  importFolder(folder: string, report: Report): Promise<number> {
    return adoptFolders(this.context, folder, report, { copies: true });
  }

  /** How many commits this process has made to the record, for whoever measures. */
  get commits(): number {
    return this.database.commits;
  }

  /** Brings the readable copies up to date, for whoever is about to look at them. */
  async writeCopies(): Promise<void> {
    await this.context.copies?.write();
  }

  /** How what serves this store for as long as it is open is. */
  get health(): LoopHealth[] {
    const { copies, process, database } = this.context;
    return [process.health, copies?.health, database.health].filter((each) => each !== undefined);
  }

  async close(): Promise<void> {
    if (this.isClosing) return;
    this.isClosing = true;
    try {
      await Promise.all([...this.context.logs].map((log) => log.close()));
      // The last copies may still look things up.
      await this.context.copies?.close();
      await this.context.process.leave();
    } finally {
      this.isClosed = true;
      await this.#release();
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #removeCopies(gone: readonly SessionRow[]): Promise<string[]> {
    for (const { project, session_id } of gone) await this.context.copies?.remove(project, session_id);
    return gone.map(({ session_id }) => session_id);
  }
}
