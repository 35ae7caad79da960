import { type JsonObject, type LivePart, type LiveText, missingResult, openToolCalls } from '@amplifier/core';
import { countEvents, countMessages, RECORD_EVENTS } from '../fold-metadata.js';
import { parseText } from '../json-text.js';
import type { MailItem } from '../mailbox.js';
import { numberEvents, numberMessages, type RecordSource } from '../number-records.js';
import type {
  DocumentName,
  NewEvent,
  NewMessage,
  SessionMetadata,
  SessionPatch,
  SessionStatus,
  StatusDetail,
  TranscriptLine,
} from '../records.js';
import { fenced } from '../refusals.js';
import { SessionError } from '../session-error.js';
import type { AppendOptions, MailEffect, SessionLog } from '../session-log.js';
import { News } from '../sql/follow.js';
import { named } from '../sql/sql-session-log.js';
import { mailTopic } from '../sql/topic-names.js';
import { documentText, eventTexts, messageTexts } from '../sql/write-records.js';
import { checkTransition } from '../status.js';
import type { MemoryRecord, MemorySession } from './memory-record.js';

/** What a log uses of its store. */
export interface LogContext {
  readonly record: MemoryRecord;
  readonly source: RecordSource;
  readonly live: LiveText;
  released(log: SessionLog): void;
}

/** What all logs share that have one right to write. */
interface Shared {
  revoked: Error | null;
  /** What callers see: a copy that is made when asked for, and dropped by the next append. */
  view: SessionMetadata | undefined;
  /** How many logs are open. */
  logs: number;
}

/** The right to write one session in memory. What is appended is stored when the call returns. */
export class MemorySessionLog implements SessionLog {
  readonly session_id: string;
  readonly epoch: number;
  readonly #store: LogContext;
  readonly #session: MemorySession;
  readonly #news: News;
  readonly #shared: Shared;
  readonly #onClosed: () => void;
  /** How many mail items were shown; -1 where it is not known. */
  #shown = 0;
  #isClosed = false;
  /** The last append was made. */
  #hasEnded = false;

  constructor(store: LogContext, session: MemorySession, shared?: Shared, onClosed?: () => void) {
    this.session_id = session.metadata.session_id;
    this.epoch = session.epoch;
    this.#store = store;
    this.#session = session;
    this.#news = new News(store.record);
    this.#shared = shared ?? { revoked: null, view: undefined, logs: 0 };
    this.#shared.logs++;
    this.#onClosed = onClosed ?? (() => store.released(this));
    if (session.epoch > 1) this.#shown = -1;
  }

  get metadata(): SessionMetadata {
    this.#shared.view ??= { ...this.#session.metadata };
    return this.#shared.view;
  }

  get hasMailNews(): boolean {
    return this.#session.mail.length > this.#shown;
  }

  say(part: LivePart, piece: string): void {
    if (this.#isOpen) this.#store.live.write(this.#session.metadata, part, piece);
  }

  unsay(): void {
    if (this.#isOpen) this.#store.live.end(this.session_id);
  }

  async appendMessages(messages: readonly NewMessage[], options?: AppendOptions, cursor?: number) {
    this.#requireRight();
    const { metadata } = this.#session;
    const { source, live, record } = this.#store;
    const lines = numberMessages(source, metadata, named(messages, live, this.session_id), cursor);
    if (lines.length === 0) return lines;
    const texts = messageTexts(lines, this.session_id);
    countMessages(metadata, lines);
    this.#shared.view = undefined;
    record.append(this.#session, [], texts);
    if (options?.last) this.#end();
    return lines;
  }

  async appendEvents(events: readonly NewEvent[], options?: AppendOptions, cursor?: number) {
    this.#requireRight();
    const { metadata } = this.#session;
    const lines = numberEvents(this.#store.source, metadata, events, cursor);
    if (lines.length === 0) return lines;
    const texts = eventTexts(lines, this.session_id);
    countEvents(metadata, lines);
    this.#shared.view = undefined;
    this.#store.record.append(this.#session, texts);
    if (options?.last) this.#end();
    return lines;
  }

  async transition(status: SessionStatus, detail: StatusDetail = {}, options?: AppendOptions) {
    checkTransition(this.session_id, this.#session.metadata.status, status);
    await this.appendEvents([{ name: RECORD_EVENTS.STATUS, data: { status, ...detail } }], options);
    return this.metadata;
  }

  async update(patch: SessionPatch, options?: AppendOptions): Promise<SessionMetadata> {
    await this.appendEvents([{ name: RECORD_EVENTS.UPDATED, data: { ...patch } }], options);
    return this.metadata;
  }

  async putDocument(name: DocumentName, document: JsonObject | string): Promise<void> {
    this.#requireRight();
    this.#session.documents.set(name, documentText(name, document, this.session_id));
    this.#store.record.append(this.#session, []);
  }

  async pendingMail(): Promise<MailItem[]> {
    this.#requireRight();
    const { mail, metadata } = this.#session;
    this.#shown = mail.length;
    return mail.slice(metadata.mailbox_cursor).map((item) => structuredClone(item));
  }

  async *mail(signal?: AbortSignal): AsyncGenerator<MailItem> {
    this.#requireRight();
    let seen = 0;
    for await (const _ of this.#news.of(mailTopic(this.session_id), signal)) {
      for (const item of await this.pendingMail()) {
        if (item.cursor <= seen || item.cursor <= this.#session.metadata.mailbox_cursor) continue;
        seen = item.cursor;
        yield item;
        if (signal?.aborted || this.#isClosed) return;
      }
    }
  }

  async deliver(
    { cursor, id, kind }: MailItem,
    effect?: MailEffect,
    options: AppendOptions = {},
  ): Promise<boolean> {
    this.#requireRight();
    if (cursor <= this.#session.metadata.mailbox_cursor) return false;
    if (effect && 'message' in effect) await this.appendMessages([effect.message], options, cursor);
    else {
      const receipt = { name: RECORD_EVENTS.MAIL, data: { mail_id: id, kind } };
      await this.appendEvents([effect?.event ?? receipt], options, cursor);
    }
    return true;
  }

  async repairToolCalls(reason?: string): Promise<string[]> {
    this.#requireRight();
    const { messages } = this.#session;
    const last = messages.at(-1)?.turn;
    const turn = messages
      .filter((each) => each.turn === last)
      .map(({ body, seq }) => parseText<TranscriptLine>(body, this.session_id, `message ${seq}`));
    const calls = openToolCalls(turn);
    if (calls.length === 0) return [];
    const ids = calls.map(({ id }) => id);
    await this.appendMessages(calls.map((call) => missingResult(call, reason)));
    await this.appendEvents([{ name: RECORD_EVENTS.REPAIRED, data: { tool_call_ids: ids } }]);
    return ids;
  }

  async flush(): Promise<void> {
    this.#requireRight();
  }

  get revoked(): Error | null {
    return this.#shared.revoked;
  }

  revoke(error: Error): void {
    this.unsay();
    this.#shared.revoked ??= error;
  }

  share(onClosed = () => {}): MemorySessionLog {
    this.#requireRight();
    return new MemorySessionLog(this.#store, this.#session, this.#shared, onClosed);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#store.live.end(this.session_id);
    this.#isClosed = true;
    this.#news.close();
    if (--this.#shared.logs === 0) this.#free();
    this.#onClosed();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get #isOpen(): boolean {
    return !this.#isClosed && !this.#hasEnded && !this.revoked;
  }

  #end(): void {
    this.#hasEnded = true;
    if (this.#shared.logs === 1) this.#free();
  }

  #free(): void {
    if (this.#session.epoch === this.epoch) this.#session.owner = null;
  }

  #requireRight(): void {
    if (this.revoked) throw this.revoked;
    if (this.#isClosed || this.#hasEnded) {
      const message = `The log of session ${this.session_id} is closed; open the session again.`;
      throw new SessionError(message, { code: 'LOG_CLOSED', origin: this.session_id });
    }
    if (this.#session.epoch !== this.epoch) throw fenced(`Session ${this.session_id}`);
  }
}
