import { type JsonObject, type LivePart, type LiveText, missingResult, openToolCalls } from '@amplifier/core';
import type { Database, Durability } from '../database/database.js';
import { countEvents, countMessages, RECORD_EVENTS } from '../fold-metadata.js';
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
} from '../records.js';
import { SessionError } from '../session-error.js';
import type { AppendOptions, MailEffect, SessionLog } from '../session-log.js';
import { checkTransition } from '../status.js';
import { News } from './follow.js';
import { mailOf } from './mail.js';
import { lastTurn, segmentsOf } from './read-records.js';
import { type Creation, type OwnedSession, SessionWriter } from './session-writer.js';
import { mailTopic } from './topic-names.js';
import { documentText, eventTexts, messageTexts } from './write-records.js';

/** Who hears what becomes of a log. */
export interface LogListener {
  /** Where it says what it is about to store. */
  live: LiveText;
  onWritten(): void;
  /** It is closed, and the session could not be given back. */
  onUnfreed(): void;
  onClosed(): void;
}

/** What all logs share that have one right to write. */
interface Shared {
  readonly writer: SessionWriter;
  /** What callers see: a copy that is made when asked for, and dropped by the next append. */
  view: SessionMetadata | undefined;
  /** How many logs are open. */
  logs: number;
}

/** The right to write one session. */
export class SqlSessionLog implements SessionLog {
  readonly session_id: string;
  readonly #database: Database;
  readonly #session: OwnedSession;
  readonly #source: RecordSource;
  readonly #hear: LogListener;
  readonly #news: News;
  readonly #shared: Shared;
  #closing: Promise<void> | undefined;
  /** The last append was made. */
  #hasEnded = false;
  #mailNews = true;
  #unfollowMail: (() => void) | null = null;

  constructor(
    database: Database,
    session: OwnedSession,
    source: RecordSource,
    hear: LogListener,
    creation: Creation | null = null,
    shared?: Shared,
  ) {
    this.session_id = session.metadata.session_id;
    this.#database = database;
    this.#session = session;
    this.#source = source;
    this.#hear = hear;
    this.#news = new News(database);
    const onWritten = () => hear.onWritten();
    const writer = () => new SessionWriter(database, session, source.time, onWritten, creation);
    this.#shared = shared ?? { writer: writer(), view: undefined, logs: 0 };
    this.#shared.logs++;
    if (shared || session.epoch > 1) return;
    // Just created: there is no mail yet.
    this.#followMail();
    this.#mailNews = false;
  }

  get metadata(): SessionMetadata {
    this.#shared.view ??= { ...this.#session.metadata };
    return this.#shared.view;
  }

  get epoch(): number {
    return this.#session.epoch;
  }

  say(part: LivePart, piece: string): void {
    if (this.#isOpen) this.#hear.live.write(this.#session.metadata, part, piece);
  }

  unsay(): void {
    if (this.#isOpen) this.#hear.live.end(this.session_id);
  }

  /** The numbers are given out at once, so that calls keep their order; the rows follow. */
  async appendMessages(messages: readonly NewMessage[], options?: AppendOptions, cursor?: number) {
    this.#requireRight();
    const { metadata } = this.#session;
    const known = named(messages, this.#hear.live, this.session_id);
    const lines = numberMessages(this.#source, metadata, known, cursor);
    if (lines.length === 0) return lines;
    const texts = messageTexts(lines, this.session_id);
    countMessages(metadata, lines);
    await this.#append({ messages: texts }, options);
    return lines;
  }

  async appendEvents(events: readonly NewEvent[], options?: AppendOptions, cursor?: number) {
    this.#requireRight();
    const { metadata } = this.#session;
    const lines = numberEvents(this.#source, metadata, events, cursor);
    if (lines.length === 0) return lines;
    const texts = eventTexts(lines, this.session_id);
    countEvents(metadata, lines);
    await this.#append({ events: texts }, options);
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
    await this.#shared.writer.append({ documents: [documentText(name, document, this.session_id)] });
  }

  get hasMailNews(): boolean {
    if (this.#isOpen) this.#followMail();
    return this.#mailNews;
  }

  async pendingMail(): Promise<MailItem[]> {
    this.#requireRight();
    const { metadata } = this.#session;
    // Mail that comes from now on is news. Without a follower all of it may be.
    this.#mailNews = this.#unfollowMail === null;
    return this.#database.read(
      () => mailOf(this.#session.n, this.session_id, metadata.mailbox_cursor),
      [mailTopic(this.session_id), ...this.#unstored],
    );
  }

  async *mail(signal?: AbortSignal): AsyncGenerator<MailItem> {
    this.#requireRight();
    let seen = 0;
    for await (const _ of this.#news.of(mailTopic(this.session_id), signal)) {
      for (const item of await this.pendingMail()) {
        if (item.cursor <= seen || item.cursor <= this.#session.metadata.mailbox_cursor) continue;
        seen = item.cursor;
        yield item;
        if (signal?.aborted || this.#closing) return;
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
    const session = this.#session;
    const { message_count } = session.metadata;
    const { session_id } = this;
    const turn = await this.#database.read(
      function* () {
        return yield* lastTurn(yield* segmentsOf(session.n), message_count, session_id);
      },
      [session_id],
    );
    const calls = openToolCalls(turn);
    if (calls.length === 0) return [];
    const ids = calls.map(({ id }) => id);
    await Promise.all([
      this.appendMessages(calls.map((call) => missingResult(call, reason))),
      this.appendEvents([{ name: RECORD_EVENTS.REPAIRED, data: { tool_call_ids: ids } }]),
    ]);
    return ids;
  }

  async flush(durability: Durability = 'disk'): Promise<void> {
    this.#requireRight();
    await this.#shared.writer.flush(durability);
    this.#requireRight();
  }

  get revoked(): Error | null {
    return this.#shared.writer.revoked;
  }

  revoke(error: Error): void {
    this.unsay();
    this.#shared.writer.revoke(error);
  }

  share(onClosed = () => {}): SqlSessionLog {
    this.#requireRight();
    const hear = { ...this.#hear, onClosed };
    return new SqlSessionLog(this.#database, this.#session, this.#source, hear, null, this.#shared);
  }

  close(): Promise<void> {
    this.#closing ??= this.#giveBack();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** What a read must wait for before the row of the session has a number. */
  get #unstored(): readonly string[] {
    return Number.isNaN(this.#session.n) ? [this.session_id] : [];
  }

  #followMail(): void {
    this.#unfollowMail ??= this.#database.subscribe(
      mailTopic(this.session_id),
      () => {
        this.#mailNews = true;
      },
      'process',
    );
  }

  /** One more append that the metadata have counted. */
  #append(records: Parameters<SessionWriter['append']>[0], options: AppendOptions = {}): Promise<void> {
    const { writer, logs } = this.#shared;
    this.#shared.view = undefined;
    if (!options.last) return writer.append(records, options);
    this.#hasEnded = true;
    return writer.append(records, { ...options, last: logs === 1 });
  }

  async #giveBack(): Promise<void> {
    this.#hear.live.end(this.session_id);
    this.#news.close();
    this.#unfollowMail?.();
    const { onUnfreed } = this.#hear;
    try {
      if (--this.#shared.logs === 0) await this.#shared.writer.close(onUnfreed);
    } catch (error) {
      this.#hear.onUnfreed();
      throw error;
    } finally {
      this.#hear.onClosed();
    }
  }

  get #isOpen(): boolean {
    return !this.#closing && !this.#hasEnded && !this.revoked;
  }

  #requireRight(): void {
    if (!this.revoked && (this.#closing || this.#hasEnded)) {
      const message = `The log of session ${this.session_id} is closed; open the session again.`;
      throw new SessionError(message, { code: 'LOG_CLOSED', origin: this.session_id });
    }
    this.#shared.writer.requireRight();
  }
}

/** An answer that was heard while it was written has an id, and is stored under it. */
export function named(
  messages: readonly NewMessage[],
  live: LiveText,
  session_id: string,
): readonly NewMessage[] {
  const answer = messages.find(({ role, id }) => role === 'assistant' && id === undefined);
  const id = answer ? live.end(session_id) : null;
  return id === null ? messages : messages.map((each) => (each === answer ? { ...each, id } : each));
}
