import { rm } from 'node:fs/promises';
import { errorInfo, type Report } from '@amplifier/core';
import { all, type Database, run } from '../database/database.js';
import { COPY_DELAY_MS, COPY_INDEX_MS, COPY_INDEX_SESSIONS, COPY_STALE } from '../defaults.js';
import { hasCode } from '../session-error.js';
import type { OwnProcess } from '../sql/own-process.js';
import { type SessionRow, summaryOf } from '../sql/session-row.js';
import { type CopyLayout, copyFolder } from './copy-layout.js';
import { replace, writeCopy } from './write-copy.js';

/**
 * Sessions as files that people and other programs can read. They follow the record: soon after a turn, within a second
 * otherwise, and completely when the store is closed. Nothing here ever reads them for what they say.
 */
export class ReadableCopies {
  readonly #database: Database;
  readonly #layout: CopyLayout;
  readonly #report: Report;
  readonly #due = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | null = null;
  #hasTold = false;
  #indexed = 0;
  #hasWritten = false;

  constructor(database: Database, layout: CopyLayout, report: Report) {
    this.#database = database;
    this.#layout = layout;
    this.#report = report;
  }

  /** Something of the session has changed. */
  touch(session_id: string): void {
    this.#due.add(session_id);
    this.#timer ??= setTimeout(() => void this.write(), COPY_DELAY_MS).unref();
  }

  /** A turn of the session is over. */
  touchNow(session_id: string): void {
    this.#due.add(session_id);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.write(), 0).unref();
  }

  /** The session is gone, or went somewhere else. */
  async remove(project: string | null, session_id: string): Promise<void> {
    this.#due.delete(session_id);
    await this.#writing;
    await rm(copyFolder(this.#layout, project, session_id), { recursive: true, force: true }).catch((error) =>
      this.#tell(error, session_id),
    );
  }

  /** What processes that died did not get to. */
  async makeGood(process: OwnProcess): Promise<void> {
    const left = await this.#database.read(function* () {
      const rows = yield* all<SessionRow>(
        `SELECT * FROM sessions WHERE copied < message_count + event_count AND deleted IS NULL LIMIT ${COPY_STALE}`,
      );
      const free: string[] = [];
      for (const row of rows) if (!(yield* process.ownerOf(row))) free.push(row.session_id);
      return free;
    });
    for (const session_id of left) this.touch(session_id);
  }

  /** Writes all there is to write. */
  async close(): Promise<void> {
    await this.write();
    if (this.#hasWritten) await this.#writeIndex();
  }

  /** Writes all that is due. One writer at a time; whoever asks meanwhile waits for what is due then, too. */
  write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const before = this.#writing ?? Promise.resolve();
    const writing = before.then(() => this.#writeDue());
    this.#writing = writing;
    return writing.finally(() => {
      if (this.#writing === writing) this.#writing = null;
    });
  }

  async #writeDue(): Promise<void> {
    const due = [...this.#due];
    this.#due.clear();
    const shown: SessionRow[] = [];
    for (const session_id of due) {
      try {
        shown.push(await writeCopy(this.#database, this.#layout, session_id));
      } catch (error) {
        if (!hasCode(error, 'SESSION_NOT_FOUND')) this.#tell(error, session_id);
      }
    }
    if (shown.length === 0) return;
    this.#hasWritten = true;
    if (Date.now() - this.#indexed > COPY_INDEX_MS) await this.#writeIndex();
    this.#database
      .write(
        function* () {
          for (const { n, message_count, event_count } of shown)
            yield* run('UPDATE sessions SET copied = ? WHERE n = ?', message_count + event_count, n);
        },
        { trailing: true },
      )
      // A copy that is not known to be there is written once more.
      .catch(() => {});
  }

  async #writeIndex(): Promise<void> {
    const { index } = this.#layout;
    if (index === null) return;
    const rows = await this.#database.read(() =>
      all<SessionRow>(
        `SELECT * FROM sessions WHERE deleted IS NULL ORDER BY created DESC, session_id DESC LIMIT ${COPY_INDEX_SESSIONS}`,
      ),
    );
    const lines = rows.reverse().map((row) => {
      const { foreign: _, ...summary } = summaryOf(row);
      const { session_id, parent_id, created, ended } = summary;
      // The same in the words of the daemon's API too, as `session.json` has it.
      const shown = { ...summary, parent_session_id: parent_id, created_at: created, ended_at: ended };
      return `${JSON.stringify(session_id)}: ${JSON.stringify(shown)}`;
    });
    const text = `{"version": 2, "sessions": {\n${lines.join(',\n')}\n}}\n`;
    await replace(index, text).catch((error) => this.#tell(error, 'index.json'));
    this.#indexed = Date.now();
  }

  /** Copies are not the record, so nothing fails with them; but somebody should know, once. */
  #tell(error: unknown, what: string): void {
    if (this.#hasTold) return;
    this.#hasTold = true;
    const message = `The readable copy of ${what} cannot be written: ${errorInfo(error).message} The record itself is not affected. Make room or rights for the copies, or switch them off.`;
    this.#report({ level: 'warning', code: 'COPIES_NOT_WRITTEN', message });
  }
}
