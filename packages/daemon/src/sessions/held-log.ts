import type { JsonObject, LivePart } from '@amplifier/core';
import {
  type AppendOptions,
  type MailEffect,
  type MailItem,
  type NewEvent,
  type NewMessage,
  SessionError,
  type SessionLog,
  type SessionPatch,
  type SessionStatus,
  type StatusDetail,
} from '@amplifier/sessions';

/**
 * A session's log in the hands of whoever runs its turn. Closing it gives the session back to the pool, which may keep the log
 * itself open. Once it is cut off nothing more gets through: to the record it looks as if the process had died there.
 */
export class HeldLog implements SessionLog {
  readonly #log: SessionLog;
  readonly #giveBack: () => void;
  #open = true;

  constructor(log: SessionLog, giveBack: () => void) {
    this.#log = log;
    this.#giveBack = giveBack;
  }

  get session_id(): string {
    return this.#log.session_id;
  }

  get epoch(): number {
    return this.#log.epoch;
  }

  get metadata(): SessionLog['metadata'] {
    return this.#log.metadata;
  }

  cutOff(): void {
    this.#open = false;
  }

  say(part: LivePart, piece: string): void {
    if (this.#open) this.#log.say(part, piece);
  }

  unsay(): void {
    if (this.#open) this.#log.unsay();
  }

  async appendMessages(messages: readonly NewMessage[], options?: AppendOptions) {
    return this.#writable().appendMessages(messages, options);
  }

  async appendEvents(events: readonly NewEvent[], options?: AppendOptions) {
    return this.#writable().appendEvents(events, options);
  }

  async transition(status: SessionStatus, detail?: StatusDetail, options?: AppendOptions) {
    return this.#writable().transition(status, detail, options);
  }

  async update(patch: SessionPatch, options?: AppendOptions) {
    return this.#writable().update(patch, options);
  }

  async putDocument(name: 'launch' | 'mount_plan' | 'bundle', document: JsonObject | string): Promise<void> {
    const log = this.#writable();
    if (typeof document === 'string') await log.putDocument('bundle', document);
    else await log.putDocument(name as 'launch', document);
  }

  async pendingMail() {
    return this.#writable().pendingMail();
  }

  mail(signal?: AbortSignal) {
    return this.#writable().mail(signal);
  }

  async deliver(item: MailItem, effect?: MailEffect) {
    return this.#writable().deliver(item, effect);
  }

  async repairToolCalls(reason?: string) {
    return this.#writable().repairToolCalls(reason);
  }

  async flush() {
    return this.#writable().flush();
  }

  async close(): Promise<void> {
    this.#open = false;
    this.#giveBack();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #writable(): SessionLog {
    if (this.#open) return this.#log;
    const message = `The daemon has taken session ${this.session_id} back; nothing more can be written by this run.`;
    throw new SessionError(message, { code: 'LOG_CLOSED', origin: this.session_id });
  }
}
