import type { MailItem } from '../mailbox.js';
import type { AppendedTexts, LogWriter } from '../record-log.js';
import type { SessionMetadata, TranscriptLine } from '../records.js';
import { fenced } from '../refusals.js';
import type { AppendOptions } from '../session-log.js';
import { type MemoryRecord, type MemorySession, messageOf } from './memory-record.js';

const DONE = Promise.resolve();

/** Writes one session in memory. What is appended is stored when the call returns. */
export class MemoryWriter implements LogWriter {
  readonly metadata: SessionMetadata;
  readonly epoch: number;
  revoked: Error | null = null;
  readonly #record: MemoryRecord;
  readonly #session: MemorySession;

  constructor(record: MemoryRecord, session: MemorySession) {
    this.metadata = session.metadata;
    this.epoch = session.epoch;
    this.#record = record;
    this.#session = session;
  }

  revoke(error: Error): void {
    this.revoked ??= error;
  }

  requireRight(): void {
    if (this.revoked) throw this.revoked;
    if (this.#session.epoch !== this.epoch) throw fenced(`Session ${this.metadata.session_id}`);
  }

  append(
    { messages, events, documents }: AppendedTexts,
    { last }: AppendOptions,
    count = () => {},
  ): Promise<void> {
    count();
    for (const document of documents ?? []) this.#session.documents.set(document.name, document);
    this.#record.append(this.#session, events, messages);
    return last ? this.close() : DONE;
  }

  flush(): Promise<void> {
    return DONE;
  }

  async pendingMail(): Promise<MailItem[]> {
    return this.#session.mail.slice(this.metadata.mailbox_cursor).map((item) => structuredClone(item));
  }

  async lastTurn(): Promise<TranscriptLine[]> {
    const { messages } = this.#session;
    const last = messages.at(-1)?.turn;
    return messages
      .filter(({ turn }) => turn === last)
      .map((text) => messageOf(text, this.metadata.session_id));
  }

  close(): Promise<void> {
    if (this.#session.epoch === this.epoch) this.#session.owner = null;
    return DONE;
  }
}
