import { type JsonObject, type LivePart, type LiveText, missingResult, openToolCalls } from '@amplifier/core';
import type { Database, Durability } from './database/database.js';
import { RECORD_EVENTS } from './fold-metadata.js';
import type { MailItem } from './mailbox.js';
import { News } from './news.js';
import { numberEvents, numberMessages, type RecordSource } from './number-records.js';
import type {
  DocumentName,
  NewEvent,
  NewMessage,
  SessionDocuments,
  SessionEvent,
  SessionMetadata,
  SessionPatch,
  SessionStatus,
  StatusDetail,
  TranscriptLine,
} from './records.js';
import { SessionError } from './session-error.js';
import type { AppendOptions, MailEffect, SessionLog } from './session-log.js';
import { checkTransition } from './status.js';
import { mailTopic } from './topic-names.js';

/** What one call appends. */
export interface AppendedRecords {
  messages?: readonly TranscriptLine[];
  events?: readonly SessionEvent[];
  documents?: SessionDocuments;
}

/** How a record writes one session. All logs with one right to write share it. */
export interface LogWriter {
  /** The fold of all that was appended. */
  readonly metadata: SessionMetadata;
  readonly epoch: number;
  readonly revoked: Error | null;
  revoke(error: Error): void;
  /** Throws when nothing more can be appended. */
  requireRight(): void;
  /**
   * Must throw for what cannot be stored. Must take a copy, and count the records in the metadata, before it returns. Resolves as
   * `SessionLog` says.
   */
  append(records: AppendedRecords, options: AppendOptions): Promise<void>;
  flush(durability: Durability): Promise<void>;
  /** Mail after the cursor of the metadata, oldest first. */
  pendingMail(): Promise<MailItem[]>;
  /** The messages of the last turn. */
  lastTurn(): Promise<TranscriptLine[]>;
  /** Gives the session back. */
  close(): Promise<void>;
}

/** What a log uses of its record. */
export interface LogContext {
  readonly source: RecordSource;
  /** Where it says what it is about to store. */
  readonly live: LiveText;
  readonly news: Pick<Database, 'subscribe'>;
  onClosed(): void;
}

/** What all logs share that have one right to write. */
interface Shared {
  /** What callers see: a copy that is made when asked for, and dropped by the next append. */
  view: SessionMetadata | undefined;
  /** How many logs are open. */
  logs: number;
}

/** The right to write one session of a record. */
export class RecordLog implements SessionLog {
  readonly session_id: string;
  readonly #context: LogContext;
  readonly #shared: Shared;
  readonly #writer: LogWriter;
  /** Made for the first reader of mail. */
  #news: News | null = null;
  #closing: Promise<void> | undefined;
  /** The last append was made. */
  #hasEnded = false;
  #mailNews = true;
  #unfollowMail: (() => void) | null = null;

  constructor(context: LogContext, writer: LogWriter, shared?: Shared) {
    this.session_id = writer.metadata.session_id;
    this.#context = context;
    this.#shared = shared ?? { view: undefined, logs: 0 };
    this.#shared.logs++;
    this.#writer = writer;
    if (shared || writer.epoch > 1) return;
    // Just created: there is no mail yet.
    this.#followMail();
    this.#mailNews = false;
  }

  get metadata(): SessionMetadata {
    this.#shared.view ??= { ...this.#writer.metadata };
    return this.#shared.view;
  }

  get epoch(): number {
    return this.#writer.epoch;
  }

  say(part: LivePart, piece: string): void {
    if (this.#isOpen) this.#context.live.write(this.#writer.metadata, part, piece);
  }

  unsay(): void {
    if (this.#isOpen) this.#context.live.end(this.session_id);
  }

  /** The numbers are given out at once, so that calls keep their order; the rows follow. */
  async appendMessages(messages: readonly NewMessage[], options?: AppendOptions, cursor?: number) {
    this.#requireRight();
    const { metadata } = this.#writer;
    const known = named(messages, this.#context.live, this.session_id);
    const lines = numberMessages(this.#context.source, metadata, known, cursor);
    if (lines.length === 0) return lines;
    await this.#append({ messages: lines }, options);
    return lines;
  }

  async appendEvents(events: readonly NewEvent[], options?: AppendOptions, cursor?: number) {
    this.#requireRight();
    const { metadata } = this.#writer;
    const lines = numberEvents(this.#context.source, metadata, events, cursor);
    if (lines.length === 0) return lines;
    await this.#append({ events: lines }, options);
    return lines;
  }

  async transition(status: SessionStatus, detail: StatusDetail = {}, options?: AppendOptions) {
    checkTransition(this.session_id, this.#writer.metadata.status, status);
    await this.appendEvents([{ name: RECORD_EVENTS.STATUS, data: { status, ...detail } }], options);
    return this.metadata;
  }

  async update(patch: SessionPatch, options?: AppendOptions): Promise<SessionMetadata> {
    await this.appendEvents([{ name: RECORD_EVENTS.UPDATED, data: { ...patch } }], options);
    return this.metadata;
  }

  async putDocument(name: DocumentName, document: JsonObject | string): Promise<void> {
    this.#requireRight();
    await this.#writer.append({ documents: { [name]: document } }, {});
  }

  get hasMailNews(): boolean {
    if (this.#isOpen) this.#followMail();
    return this.#mailNews;
  }

  async pendingMail(): Promise<MailItem[]> {
    this.#requireRight();
    // Mail that comes from now on is news. Without a follower all of it may be.
    this.#mailNews = this.#unfollowMail === null;
    return this.#writer.pendingMail();
  }

  async *mail(signal?: AbortSignal): AsyncGenerator<MailItem> {
    this.#requireRight();
    let seen = 0;
    this.#news ??= new News(this.#context.news);
    for await (const _ of this.#news.of(mailTopic(this.session_id), signal)) {
      for (const item of await this.pendingMail()) {
        if (item.cursor <= seen || item.cursor <= this.#writer.metadata.mailbox_cursor) continue;
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
    if (cursor <= this.#writer.metadata.mailbox_cursor) return false;
    if (effect && 'message' in effect) await this.appendMessages([effect.message], options, cursor);
    else {
      const receipt = { name: RECORD_EVENTS.MAIL, data: { mail_id: id, kind } };
      await this.appendEvents([effect?.event ?? receipt], options, cursor);
    }
    return true;
  }

  async repairToolCalls(reason?: string): Promise<string[]> {
    this.#requireRight();
    const turn = await this.#writer.lastTurn();
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
    await this.#writer.flush(durability);
    this.#writer.requireRight();
  }

  get revoked(): Error | null {
    return this.#writer.revoked;
  }

  revoke(error: Error): void {
    this.unsay();
    this.#writer.revoke(error);
  }

  share(onClosed = () => {}): RecordLog {
    this.#requireRight();
    return new RecordLog({ ...this.#context, onClosed }, this.#writer, this.#shared);
  }

  close(): Promise<void> {
    this.#closing ??= this.#giveBack();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #followMail(): void {
    this.#unfollowMail ??= this.#context.news.subscribe(
      mailTopic(this.session_id),
      () => {
        this.#mailNews = true;
      },
      'process',
    );
  }

  #append(records: AppendedRecords, options: AppendOptions = {}): Promise<void> {
    this.#shared.view = undefined;
    if (!options.last) return this.#writer.append(records, options);
    const appended = this.#writer.append(records, { ...options, last: this.#shared.logs === 1 });
    this.#hasEnded = true;
    return appended;
  }

  async #giveBack(): Promise<void> {
    this.#context.live.end(this.session_id);
    this.#news?.close();
    this.#unfollowMail?.();
    try {
      if (--this.#shared.logs === 0) await this.#writer.close();
    } finally {
      this.#context.onClosed();
    }
  }

  get #isOpen(): boolean {
    return !this.#closing && !this.#hasEnded && !this.#writer.revoked;
  }

  #requireRight(): void {
    if ((this.#closing || this.#hasEnded) && !this.#writer.revoked) {
      const message = `The log of session ${this.session_id} is closed; open the session again.`;
      throw new SessionError(message, { code: 'LOG_CLOSED', origin: this.session_id });
    }
    this.#writer.requireRight();
  }
}

/** An answer that was heard while it was written has an id, and is stored under it. */
function named(messages: readonly NewMessage[], live: LiveText, session_id: string): readonly NewMessage[] {
  const answer = messages.find(({ role, id }) => role === 'assistant' && id === undefined);
  const id = answer ? live.end(session_id) : null;
  return id === null ? messages : messages.map((each) => (each === answer ? { ...each, id } : each));
}
