import { type LoopHealth, type Message, type Report, SupervisedLoop, systemClock } from '@amplifier/core';
import type { MailItem, SessionLog } from '@amplifier/sessions';
import { MAIL_DELAY_MS } from '../defaults.js';
import { Later } from './later.js';

export interface MailHandlers {
  onCancel(item: MailItem): void;
  onAnswer(item: MailItem): void;
  /**
   * A mail item that becomes a message has come, perhaps not for the first time: an earlier process may have seen it and died.
   * It becomes a message only when this has resolved.
   */
  onMessage(item: MailItem): Promise<void>;
}

/**
 * The mail of a running session. A cancel or an answer acts at once; anything else waits for the next step of the loop
 * and becomes a message there. Receipts are written in the order of arrival, each in one write with its effect, so
 * that a mail item counts exactly once whatever crashes.
 */
export class SessionMail {
  static readonly #later = new Later<SessionMail>(MAIL_DELAY_MS, (mail) => mail.#start());
  static readonly #loops = new Set<SupervisedLoop<MailItem>>();
  #log: SessionLog;
  #report: Report;
  #queue: MailItem[] = [];
  #items = new Map<Message, MailItem>();
  #received = new Map<string, Promise<void>>();
  #end: AbortController | null = null;
  #turn = 0;
  #handlers: MailHandlers | null = null;
  #reading: Promise<void> | null = null;

  constructor(log: SessionLog, report: Report = () => {}) {
    this.#log = log;
    this.#report = report;
  }

  /** How the mail of all sessions of this process is. */
  static get health(): LoopHealth {
    const loops = [...SessionMail.#loops].map(({ health }) => health);
    const failing = loops.find(({ state }) => state === 'retrying');
    return {
      name: 'mail of sessions',
      state: failing ? 'retrying' : 'waiting',
      set_aside: loops.reduce((sum, { set_aside }) => sum + set_aside, 0),
      failures: failing?.failures ?? 0,
      last_error: (failing ?? loops.find(({ last_error }) => last_error))?.last_error ?? null,
    };
  }

  /** Begins to read: what waits is there for the first step. Requests to stop an earlier turn are only acknowledged. */
  async open(turn: number, handlers: MailHandlers): Promise<void> {
    const { message_count, mailbox_cursor } = this.#log.metadata;
    const isNew = message_count <= 1 && mailbox_cursor === 0;
    this.#turn = turn;
    this.#handlers = handlers;
    if (isNew) {
      SessionMail.#later.add(this);
      return;
    }
    for (const item of await this.#log.pendingMail()) this.#receive(item, handlers);
    this.#start();
  }

  /** For the orchestrator, between steps: the messages that were sent before the call, oldest first. */
  async take(): Promise<Message[]> {
    if (!this.#handlers) return [];
    // News of mail may be on its way while the mail is there.
    for (const item of await this.#log.pendingMail()) this.#receive(item, this.#handlers);
    if (this.#queue.length === 0) return [];
    await this.#acknowledge();
    const next = this.#queue.findIndex(isControl);
    const items = this.#queue.splice(0, next === -1 ? this.#queue.length : next);
    await Promise.all(items.map(({ id }) => this.#received.get(id)));
    return items.map((item) => {
      const message = mailAsMessage(item);
      this.#items.set(message, item);
      return message;
    });
  }

  /** The mail item a message was made from; the log writes message and receipt as one. */
  mailOf(message: Message): MailItem | undefined {
    return this.#items.get(message);
  }

  async close(): Promise<void> {
    SessionMail.#later.delete(this);
    this.#end?.abort(CLOSED);
    if (this.#reading) await this.#reading;
    await this.#acknowledge();
  }

  /** A record that cannot be read for a while is asked again, so that a cancel or an answer still arrives. */
  #start(): void {
    const handlers = this.#handlers;
    if (!handlers) return;
    this.#end = new AbortController();
    const loop = new SupervisedLoop<MailItem>({
      name: `mail of session ${this.#log.session_id}`,
      clock: systemClock,
      report: this.#report,
      items: (signal) => this.#log.mail(signal),
      serve: (item) => this.#receive(item, handlers),
      nameOf: ({ id }) => `message ${id}`,
    });
    SessionMail.#loops.add(loop);
    this.#reading = loop.run(this.#end.signal).finally(() => SessionMail.#loops.delete(loop));
  }

  #receive(item: MailItem, { onCancel, onAnswer, onMessage }: MailHandlers): void {
    if (this.#received.has(item.id)) return;
    const isMessage = !isControl(item);
    const received = isMessage ? onMessage(item) : Promise.resolve();
    received.catch(() => {});
    this.#received.set(item.id, received);
    this.#queue.push(item);
    if (item.kind === 'answer') onAnswer(item);
    if (item.kind === 'cancel' && item.body.turn === this.#turn) onCancel(item);
  }

  /** Writes the receipts of mail that has acted already and stands first in line. */
  async #acknowledge(): Promise<void> {
    while (this.#queue[0] && isControl(this.#queue[0])) {
      await this.#log.deliver(this.#queue[0]);
      this.#queue.shift();
    }
  }
}

/** Given so that no error object with a stack is made each time a session ends. */
const CLOSED = 'closed';

function isControl({ kind }: MailItem): boolean {
  return kind === 'cancel' || kind === 'answer';
}

export function mailAsMessage({ kind, from, id, body }: MailItem): Message {
  const text = String(body.text ?? '');
  const content =
    kind === 'completion'
      ? `[Background agent ${body.agent ?? ''} (session ${from}) ended: ${body.status}]\n${text}`
      : kind === 'question'
        ? `[Agent ${body.agent ?? ''} (session ${from}) asks, question ${id}]\n${text}`
        : from === null
          ? text
          : `[Message from ${from}]\n${text}`;
  return {
    role: 'user',
    content,
    metadata: { source: kind === 'message' && from === null ? 'user' : 'runtime', mail_id: id, kind, from },
  };
}
