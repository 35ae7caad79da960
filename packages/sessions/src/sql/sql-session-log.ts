import { type JsonObject, type LivePart, type LiveText, missingResult, openToolCalls } from '@amplifier/core';
import type { Database } from '../database/database.js';
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
import { type OwnedSession, SessionWriter } from './session-writer.js';
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

/** The right to write one session. */
export class SqlSessionLog implements SessionLog {
  readonly session_id: string;
  readonly #database: Database;
  readonly #session: OwnedSession;
  readonly #source: RecordSource;
  readonly #hear: LogListener;
  readonly #news: News;
  /** What callers see: a copy that is made when asked for, and dropped by the next append. */
  #view: SessionMetadata | undefined;
  readonly #writer: SessionWriter;
  #closing: Promise<void> | undefined;
  #mailNews = true;
  #unfollowMail: (() => void) | null = null;

  constructor(database: Database, session: OwnedSession, source: RecordSource, hear: LogListener) {
    this.session_id = session.metadata.session_id;
    this.#database = database;
    this.#session = session;
    this.#source = source;
    this.#hear = hear;
    this.#news = new News(database);
    this.#writer = new SessionWriter(database, session, source.time, () => hear.onWritten());
    if (session.epoch > 1) return;
    // Just created: there is no mail yet.
    this.#followMail();
    this.#mailNews = false;
  }

  get metadata(): SessionMetadata {
    this.#view ??= { ...this.#session.metadata };
    return this.#view;
  }

  get epoch(): number {
    return this.#session.epoch;
  }

  say(part: LivePart, piece: string): void {
    if (!this.#closing) this.#hear.live.write(this.#session.metadata, part, piece);
  }

  unsay(): void {
    this.#hear.live.end(this.session_id);
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
    this.#view = undefined;
    await this.#writer.append({ messages: texts }, options);
    return lines;
  }

  async appendEvents(events: readonly NewEvent[], options?: AppendOptions, cursor?: number) {
    this.#requireRight();
    const { metadata } = this.#session;
    const lines = numberEvents(this.#source, metadata, events, cursor);
    if (lines.length === 0) return lines;
    const texts = eventTexts(lines, this.session_id);
    countEvents(metadata, lines);
    this.#view = undefined;
    await this.#writer.append({ events: texts }, options);
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
    await this.#writer.append({ documents: [documentText(name, document, this.session_id)] });
  }

  get hasMailNews(): boolean {
    if (!this.#closing) this.#followMail();
    return this.#mailNews;
  }

  async pendingMail(): Promise<MailItem[]> {
    this.#requireRight();
    const { n, metadata } = this.#session;
    // Mail that comes from now on is news. Without a follower all of it may be.
    this.#mailNews = this.#unfollowMail === null;
    return this.#database.read(
      () => mailOf(n, this.session_id, metadata.mailbox_cursor),
      [mailTopic(this.session_id)],
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

  async deliver({ cursor, id, kind }: MailItem, effect?: MailEffect): Promise<boolean> {
    this.#requireRight();
    if (cursor <= this.#session.metadata.mailbox_cursor) return false;
    if (effect && 'message' in effect) await this.appendMessages([effect.message], {}, cursor);
    else {
      const receipt = { name: RECORD_EVENTS.MAIL, data: { mail_id: id, kind } };
      await this.appendEvents([effect?.event ?? receipt], {}, cursor);
    }
    return true;
  }

  async repairToolCalls(reason?: string): Promise<string[]> {
    this.#requireRight();
    const { n, metadata } = this.#session;
    const { message_count } = metadata;
    const { session_id } = this;
    const turn = await this.#database.read(
      function* () {
        return yield* lastTurn(yield* segmentsOf(n), message_count, session_id);
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

  async flush(): Promise<void> {
    this.#requireRight();
    await this.#writer.flush();
    this.#requireRight();
  }

  close(): Promise<void> {
    this.#closing ??= this.#giveBack();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
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

  async #giveBack(): Promise<void> {
    this.unsay();
    this.#news.close();
    this.#unfollowMail?.();
    try {
      await this.#writer.close();
    } catch (error) {
      this.#hear.onUnfreed();
      throw error;
    } finally {
      this.#hear.onClosed();
    }
  }

  #requireRight(): void {
    if (this.#closing) {
      const message = `The log of session ${this.session_id} is closed; open the session again.`;
      throw new SessionError(message, { code: 'LOG_CLOSED', origin: this.session_id });
    }
    this.#writer.requireRight();
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
