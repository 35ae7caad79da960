import { cloneJson } from '@amplifier/core';
import { countEvents, countMessages } from '../fold-metadata.js';
import type { MailItem } from '../mailbox.js';
import type { AppendedRecords, LogWriter } from '../record-log.js';
import type { SessionMetadata, TranscriptLine } from '../records.js';
import { fenced } from '../refusals.js';
import type { AppendOptions } from '../session-log.js';
import { lastTurn, type MemoryRecord, type MemorySession } from './memory-record.js';
import { storedCopy } from './stored-copy.js';

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

  append(records: AppendedRecords, { last }: AppendOptions): Promise<void> {
    const copies = storedCopy(records, this.metadata.session_id);
    countEvents(this.metadata, copies.events ?? []);
    countMessages(this.metadata, copies.messages ?? []);
    this.#record.append(this.#session, copies);
    return last ? this.close() : DONE;
  }

  flush(): Promise<void> {
    return DONE;
  }

  async pendingMail(): Promise<MailItem[]> {
    return cloneJson(this.#session.mail.slice(this.metadata.mailbox_cursor));
  }

  async lastTurn(): Promise<TranscriptLine[]> {
    return cloneJson(lastTurn(this.#session.messages));
  }

  close(): Promise<void> {
    if (this.#session.epoch === this.epoch) this.#session.owner = null;
    return DONE;
  }
}
