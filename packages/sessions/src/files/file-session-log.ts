import { basename } from 'node:path';
import type { JsonObject } from '@amplifier/core';
import { Bell } from '../bell.js';
import { METADATA_DELAY_MS } from '../defaults.js';
import { countEvents, countMessages, RECORD_EVENTS, recordCount, summarize } from '../fold-metadata.js';
import type { Letter } from '../mailbox.js';
import { numberEvents, numberMessages } from '../number-records.js';
import type {
  DocumentName,
  NewEvent,
  NewMessage,
  SessionEvent,
  SessionMetadata,
  SessionPatch,
  SessionStatus,
  StatusDetail,
  TranscriptLine,
} from '../records.js';
import { fenced } from '../refusals.js';
import { missingResult, openToolCalls } from '../repair-tool-calls.js';
import { hasCode, SessionError } from '../session-error.js';
import type { LetterEffect, MendedLine, SessionLog } from '../session-log.js';
import { checkTransition } from '../status.js';
import { AppendFile } from './append-file.js';
import { coalesce } from './coalesce.js';
import { readLetters } from './file-mailbox.js';
import { readLastTurn } from './find-turn.js';
import { sizeOf } from './folder.js';
import type { SessionPaths } from './layout.js';
import { transcriptSegments } from './read-log.js';
import { recordText } from './record-text.js';
import { type StoreContext, warn } from './store-context.js';
import { type Base, type StoredSession, storedText } from './stored-session.js';
import { replaceFile } from './write-atomic.js';
import { writeDocument } from './write-document.js';
import type { WriterLock } from './writer-lock.js';

export interface FileSessionLogOptions {
  store: StoreContext;
  paths: SessionPaths;
  stored: StoredSession;
  lock: WriterLock;
  mended: readonly MendedLine[];
  /** Its metadata has not been written yet. */
  isUnsaved?: boolean;
  /** Told when closing begins, with when it ends. */
  onClose: (closed: Promise<void>) => void;
}

/** Given so that no error object with a stack is made each time a log is closed. */
const CLOSED = 'closed';

export class FileSessionLog implements SessionLog {
  readonly session_id: string;
  readonly mended: readonly MendedLine[];
  readonly #store: StoreContext;
  readonly #paths: SessionPaths;
  readonly #lock: WriterLock;
  readonly #transcript: AppendFile;
  readonly #events: AppendFile;
  readonly #onClose: (closed: Promise<void>) => void;
  readonly #save: () => Promise<void>;
  readonly #bases: readonly Base[];
  /** Ends those who wait for mail. Made when somebody does. */
  #closing: AbortController | undefined;
  /** With what is under way. */
  #metadata: SessionMetadata;
  /** What callers see: a copy that is made when asked for, and dropped by the next append. */
  #view: SessionMetadata | undefined;
  /** How many records there were when the index was told last. */
  #published = 0;
  /** The newest that the index has to be told, and when it has been. */
  #news: { metadata: SessionMetadata; told: Promise<void> } | undefined;
  #cancelSave: (() => void) | undefined;
  #saving: Promise<void> = Promise.resolve();
  #closed: Promise<void> | undefined;

  constructor({ store, paths, stored, lock, mended, isUnsaved, onClose }: FileSessionLogOptions) {
    const { session_id } = stored.metadata;
    this.session_id = session_id;
    this.mended = mended;
    this.#store = store;
    this.#paths = paths;
    this.#lock = lock;
    this.#metadata = { ...stored.metadata };
    this.#bases = stored.bases;
    this.#onClose = onClose;
    this.#save = coalesce(() => this.#writeMetadata());
    const confirm = this.isExclusive ? undefined : () => this.#confirm();
    const { pool, redo } = store;
    const { epoch } = lock;
    const grow = (path: string, size: number, kind: 'e' | 't') =>
      new AppendFile({
        path,
        size,
        pool,
        confirm,
        flush: (bytes, offset) => redo.commit([{ session_id, file: basename(path), offset, bytes, epoch }]),
        onCommit: (from, to) => this.publish(kind, from, to),
      });
    this.#transcript = grow(paths.transcript, stored.transcript_bytes, 't');
    this.#events = grow(paths.events, stored.events_bytes, 'e');
    if (isUnsaved) this.#saveSoon();
  }

  /** Without a lease nobody can take the session from this process while it lives. */
  get isExclusive(): boolean {
    return this.#lock.lease === undefined;
  }

  get metadata(): SessionMetadata {
    this.#view ??= { ...this.#metadata };
    return this.#view;
  }

  appendMessages(messages: readonly NewMessage[]): Promise<TranscriptLine[]> {
    return this.#appendMessages(messages);
  }

  appendEvents(events: readonly NewEvent[]): Promise<SessionEvent[]> {
    return this.#appendEvents(events);
  }

  async transition(status: SessionStatus, detail: StatusDetail = {}): Promise<SessionMetadata> {
    checkTransition(this.session_id, this.#metadata.status, status);
    return this.#appendToTell({ name: RECORD_EVENTS.STATUS, data: { status, ...detail } });
  }

  update(patch: SessionPatch): Promise<SessionMetadata> {
    return this.#appendToTell({ name: RECORD_EVENTS.UPDATED, data: { ...patch } });
  }

  async putDocument(name: DocumentName, document: JsonObject | string): Promise<void> {
    this.#requireOpen();
    this.#confirmLease();
    await writeDocument(this.#paths.folder, name, document);
  }

  async pendingMail(): Promise<Letter[]> {
    this.#requireOpen();
    if (sizeOf(this.#paths.mailbox) <= this.#metadata.mailbox_cursor) return [];
    const { report } = this.#store;
    const letters = await readLetters(this.#paths, (message) =>
      report({ level: 'warning', code: 'LETTER_SKIPPED', message }),
    );
    return letters.filter(({ cursor }) => cursor > this.#metadata.mailbox_cursor);
  }

  async *mail(signal?: AbortSignal): AsyncGenerator<Letter> {
    this.#requireOpen();
    this.#closing ??= new AbortController();
    const end = signal ? AbortSignal.any([signal, this.#closing.signal]) : this.#closing.signal;
    const bell = new Bell();
    const stop = await this.#store.feed.listen(this.session_id, () => bell.ring());
    let seen = 0;
    try {
      bell.ring();
      while (await bell.wait(end)) {
        for (const letter of await this.pendingMail()) {
          if (letter.cursor <= seen || letter.cursor <= this.#metadata.mailbox_cursor) continue;
          seen = letter.cursor;
          yield letter;
          if (end.aborted) return;
        }
      }
    } finally {
      stop();
    }
  }

  async deliver(letter: Letter, effect?: LetterEffect): Promise<boolean> {
    this.#requireOpen();
    const { cursor, id, kind } = letter;
    if (cursor <= this.#metadata.mailbox_cursor) return false;
    if (effect && 'message' in effect) await this.#appendMessages([effect.message], cursor);
    else {
      const receipt = { name: RECORD_EVENTS.MAIL, data: { letter_id: id, kind } };
      await this.#appendEvents([effect?.event ?? receipt], cursor);
    }
    return true;
  }

  async repairToolCalls(reason?: string): Promise<string[]> {
    this.#requireOpen();
    await this.#transcript.settle();
    const calls = openToolCalls(await readLastTurn(transcriptSegments(this.#paths, this.#stored())));
    if (calls.length === 0) return [];
    await this.appendMessages(calls.map((call) => missingResult(call, reason)));
    await this.appendEvents([
      { name: RECORD_EVENTS.REPAIRED, data: { tool_call_ids: calls.map(({ id }) => id) } },
    ]);
    return calls.map(({ id }) => id);
  }

  close(): Promise<void> {
    if (!this.#closed) {
      this.#closed = this.#close();
      this.#onClose(this.#closed);
    }
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Tells everybody who watches that there is more to read. */
  publish(kind: 'e' | 't', from: number, to: number): void {
    const s = this.session_id;
    this.#store.feed.publish(kind === 'e' ? { s, e: [from, to] } : { s, t: [from, to] });
  }

  async #appendMessages(messages: readonly NewMessage[], mailbox_cursor?: number): Promise<TranscriptLine[]> {
    this.#requireOpen();
    if (messages.length === 0) return [];
    const lines = numberMessages(this.#store, this.#metadata, messages, mailbox_cursor);
    const text = recordText(lines, this.#paths.transcript);
    countMessages(this.#metadata, lines);
    this.#view = undefined;
    await this.#transcript.append(text);
    this.#saveSoon();
    return lines;
  }

  async #appendEvents(events: readonly NewEvent[], mailbox_cursor?: number): Promise<SessionEvent[]> {
    this.#requireOpen();
    if (events.length === 0) return [];
    const lines = numberEvents(this.#store, this.#metadata, events, mailbox_cursor);
    const text = recordText(lines, this.#paths.events);
    countEvents(this.#metadata, lines);
    this.#view = undefined;
    await this.#events.append(text);
    this.#saveSoon();
    return lines;
  }

  /** Appends what listings show, too, and tells the index of it when it is on disk. */
  async #appendToTell(event: NewEvent): Promise<SessionMetadata> {
    const appended = this.#appendEvents([event]);
    const { metadata } = this;
    await appended;
    await this.#tell(metadata);
    return this.metadata;
  }

  /** What was flushed together is told once, by its last state. */
  #tell(metadata: SessionMetadata): Promise<void> {
    if (this.#news) {
      this.#news.metadata = metadata;
      return this.#news.told;
    }
    const news = { metadata, told: Promise.resolve() };
    this.#news = news;
    news.told = Promise.resolve().then(() => {
      this.#news = undefined;
      return this.#publishSummary(news.metadata);
    });
    return news.told;
  }

  /** All of it, with the bytes it takes. It is on disk when both files have settled. */
  #stored(): StoredSession {
    const { metadata } = this;
    const transcript_bytes = this.#transcript.size;
    return { metadata, bases: this.#bases, transcript_bytes, events_bytes: this.#events.size };
  }

  #saveSoon(): void {
    this.#cancelSave ??= this.#store.clock.after(METADATA_DELAY_MS, () => {
      this.#cancelSave = undefined;
      this.#saving = this.#trySave();
    });
  }

  /** A cache that cannot be written is reported; one that a newer owner writes now is none of ours. */
  async #trySave(): Promise<void> {
    try {
      await this.#save();
    } catch (error) {
      if (hasCode(error, 'FENCED')) return;
      const message = `${this.#paths.metadata} is out of date; the logs are not.`;
      warn(this.#store.report, 'METADATA_NOT_WRITTEN', message, error);
    }
  }

  async #writeMetadata(): Promise<void> {
    const stored = this.#stored();
    await this.#settle();
    this.#confirmLease();
    // Not flushed: a cache that a power cut took, or left half written, is made again from the logs.
    await replaceFile(this.#paths.metadata, storedText(stored, this.#store.layout), { sync: false });
    await this.#publishSummary(stored.metadata);
  }

  async #publishSummary(metadata: SessionMetadata): Promise<void> {
    const count = recordCount(metadata);
    if (count <= this.#published) return;
    this.#published = count;
    await this.#store.index.put(summarize(metadata), count);
  }

  async #close(): Promise<void> {
    this.#closing?.abort(CLOSED);
    try {
      await this.#settle().catch(() => {});
      const isDirty = this.#cancelSave !== undefined;
      this.#cancelSave?.();
      this.#cancelSave = undefined;
      if (isDirty) await this.#trySave();
      await this.#saving;
      await this.#store.feed.flush();
    } finally {
      const { pool } = this.#store;
      pool.drop(this.#paths.transcript);
      pool.drop(this.#paths.events);
      this.#lock.release();
    }
  }

  /** Rejects when something that was appended could not be kept: what is in memory is then more than there is. */
  async #settle(): Promise<void> {
    await Promise.all([this.#transcript.settle(), this.#events.settle()]);
  }

  #confirmLease(): void {
    if (!this.isExclusive) this.#confirm();
  }

  #confirm(): void {
    if (!this.#lock.isCurrent()) throw fenced(`Session ${this.session_id}`);
  }

  #requireOpen(): void {
    if (!this.#closed) return;
    throw new SessionError(`The log of session ${this.session_id} is closed; open the session again.`, {
      code: 'LOG_CLOSED',
      origin: this.session_id,
    });
  }
}
