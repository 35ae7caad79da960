import type { JsonObject } from '@amplifier/core';
import { Bell } from '../bell.js';
import { countEvents, countMessages, RECORD_EVENTS } from '../fold-metadata.js';
import type { Letter } from '../mailbox.js';
import { numberEvents, numberMessages, type RecordSource } from '../number-records.js';
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
import { SessionError } from '../session-error.js';
import type { LetterEffect, SessionLog } from '../session-log.js';
import { checkTransition } from '../status.js';
import type { HeldSession, MemoryOwner, MemoryPlace } from './memory-place.js';

/** The right to write one session of a place in memory. What is appended can be read when the call returns. */
export class MemorySessionLog implements SessionLog {
  readonly session_id: string;
  readonly mended = [];
  readonly #place: MemoryPlace;
  readonly #session: HeldSession;
  readonly #owner: MemoryOwner;
  readonly #source: RecordSource;
  readonly #bells = new Set<Bell>();
  readonly #onClose: () => void;
  /** What callers see: a copy that is made when asked for, and dropped by the next append. */
  #view: SessionMetadata | undefined;
  #isClosed = false;

  constructor(
    place: MemoryPlace,
    session: HeldSession,
    owner: MemoryOwner,
    source: RecordSource,
    onClose: () => void,
  ) {
    this.session_id = session.metadata.session_id;
    this.#place = place;
    this.#session = session;
    this.#owner = owner;
    this.#source = source;
    this.#onClose = onClose;
  }

  get metadata(): SessionMetadata {
    this.#view ??= { ...this.#session.metadata };
    return this.#view;
  }

  async appendMessages(messages: readonly NewMessage[]): Promise<TranscriptLine[]> {
    return this.#appendMessages(messages);
  }

  async appendEvents(events: readonly NewEvent[]): Promise<SessionEvent[]> {
    return this.#appendEvents(events);
  }

  async transition(status: SessionStatus, detail: StatusDetail = {}): Promise<SessionMetadata> {
    checkTransition(this.session_id, this.#session.metadata.status, status);
    this.#appendEvents([{ name: RECORD_EVENTS.STATUS, data: { status, ...detail } }]);
    return this.metadata;
  }

  async update(patch: SessionPatch): Promise<SessionMetadata> {
    this.#appendEvents([{ name: RECORD_EVENTS.UPDATED, data: { ...patch } }]);
    return this.metadata;
  }

  async putDocument(name: DocumentName, document: JsonObject | string): Promise<void> {
    this.#requireRight();
    this.#session.documents[name] = jsonText(document, this.session_id);
  }

  async pendingMail(): Promise<Letter[]> {
    this.#requireRight();
    const pending = this.#pending();
    return pending.length === 0 ? pending : structuredClone(pending);
  }

  async *mail(signal?: AbortSignal): AsyncGenerator<Letter> {
    this.#requireRight();
    const bell = new Bell();
    this.#session.bells.add(bell);
    this.#bells.add(bell);
    let seen = 0;
    try {
      bell.ring();
      while ((await bell.wait(signal)) && !this.#isClosed) {
        for (const letter of this.#pending()) {
          if (letter.cursor <= seen || letter.cursor <= this.#session.metadata.mailbox_cursor) continue;
          seen = letter.cursor;
          yield structuredClone(letter);
          if (signal?.aborted || this.#isClosed) return;
        }
      }
    } finally {
      this.#session.bells.delete(bell);
      this.#bells.delete(bell);
    }
  }

  async deliver({ cursor, id, kind }: Letter, effect?: LetterEffect): Promise<boolean> {
    this.#requireRight();
    if (cursor <= this.#session.metadata.mailbox_cursor) return false;
    if (effect && 'message' in effect) this.#appendMessages([effect.message], cursor);
    else {
      const receipt = { name: RECORD_EVENTS.MAIL, data: { letter_id: id, kind } };
      this.#appendEvents([effect?.event ?? receipt], cursor);
    }
    return true;
  }

  async repairToolCalls(reason?: string): Promise<string[]> {
    this.#requireRight();
    const calls = openToolCalls(lastTurn(this.#session));
    if (calls.length === 0) return [];
    const ids = calls.map(({ id }) => id);
    this.#appendMessages(calls.map((call) => missingResult(call, reason)));
    this.#appendEvents([{ name: RECORD_EVENTS.REPAIRED, data: { tool_call_ids: ids } }]);
    return ids;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#session.owner === this.#owner) this.#session.owner = null;
    ring(this.#bells);
    this.#onClose();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #appendMessages(messages: readonly NewMessage[], mailbox_cursor?: number): TranscriptLine[] {
    this.#requireRight();
    if (messages.length === 0) return [];
    const { metadata } = this.#session;
    const lines = numberMessages(this.#source, metadata, messages, mailbox_cursor);
    const texts = recordTexts(lines, this.session_id);
    countMessages(metadata, lines);
    this.#view = undefined;
    this.#session.messages.push(...texts);
    ring(this.#session.bells);
    return lines;
  }

  #appendEvents(events: readonly NewEvent[], mailbox_cursor?: number): SessionEvent[] {
    this.#requireRight();
    if (events.length === 0) return [];
    const lines = numberEvents(this.#source, this.#session.metadata, events, mailbox_cursor);
    const texts = recordTexts(lines, this.session_id);
    countEvents(this.#session.metadata, lines);
    this.#view = undefined;
    this.#session.events.push(...texts);
    for (const { seq } of lines) this.#place.feed.push({ session: this.#session, seq });
    ring(this.#session.bells);
    ring(this.#place.followers);
    return lines;
  }

  #pending(): Letter[] {
    const { letters, metadata } = this.#session;
    // A cursor is how many letters there were, so it is also the place of the first that waits.
    return letters.slice(metadata.mailbox_cursor);
  }

  #requireRight(): void {
    if (this.#isClosed) {
      const message = `The log of session ${this.session_id} is closed; open the session again.`;
      throw new SessionError(message, { code: 'LOG_CLOSED', origin: this.session_id });
    }
    if (this.#session.owner !== this.#owner) throw fenced(`Session ${this.session_id}`);
  }
}

/** The messages of the turn in which a conversation ends. */
export function lastTurn({ messages }: Pick<HeldSession, 'messages'>): TranscriptLine[] {
  const turn: TranscriptLine[] = [];
  for (let at = messages.length - 1; at >= 0; at--) {
    const line = JSON.parse(messages[at] as string) as TranscriptLine;
    if (turn[0] && line.turn !== turn[0].turn) break;
    turn.unshift(line);
  }
  return turn;
}

export function recordTexts(records: readonly object[], session_id: string): string[] {
  return records.map((record) => jsonText(record, session_id));
}

/** A value as it is kept. What JSON has no word for is refused before anything changes. */
export function jsonText(value: unknown, session_id: string): string {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SessionError(
      `A record of session ${session_id} cannot be written as JSON: ${reason}. Nothing was kept.`,
      { code: 'INVALID_RECORD', origin: session_id, cause },
    );
  }
}

export function ring(bells: ReadonlySet<Bell>): void {
  for (const bell of bells) bell.ring();
}
