import { type LoopHealth, type Message, type Report, SupervisedLoop, systemClock } from '@amplifier/core';
import type { MailItem, SessionLog } from '@amplifier/sessions';
import { MAIL_DELAY_MS } from '../defaults.js';
import { SharedTimer } from './shared-timer.js';

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
  static readonly #later = new SharedTimer<SessionMail>(MAIL_DELAY_MS, (mail) => mail.#start());
  static readonly #loops = new Set<SupervisedLoop<MailItem>>();
  /** What was set aside in sessions whose mail is closed. */
  static readonly #earlier: Pick<LoopHealth, 'set_aside' | 'last_error'> = { set_aside: 0, last_error: null };
  #log: SessionLog;
  #queue: MailItem[] = [];
  #items = new Map<Message, MailItem>();
  #received = new Map<string, Promise<void>>();
  #end: AbortController | null = null;
  #turn = 0;
  #handlers: MailHandlers | null = null;
  /** Made when there is something to read: most sessions end before. */
  #loop: SupervisedLoop<MailItem> | null = null;
  readonly #report: Report;
  #reading: Promise<void> | null = null;

  constructor(log: SessionLog, report: Report = () => {}) {
    this.#log = log;
    this.#report = report;
  }

  get #served(): SupervisedLoop<MailItem> {
    if (this.#loop) return this.#loop;
    const log = this.#log;
    this.#loop = new SupervisedLoop<MailItem>({
      name: `mail of session ${log.session_id}`,
      clock: systemClock,
      report: this.#report,
      items: (signal) => log.mail(signal),
      serve: (item) => this.#receive(item),
      nameOf: ({ id }) => `message ${id}`,
    });
    SessionMail.#loops.add(this.#loop);
    return this.#loop;
  }

  /** How the mail of all sessions of this process is. */
  static get health(): LoopHealth {
    const { set_aside, last_error } = SessionMail.#earlier;
    const loops = [...SessionMail.#loops].map(({ health }) => health);
    const failing = loops.find(({ state }) => state === 'retrying');
    return {
      name: 'mail of sessions',
      state: failing ? 'retrying' : 'waiting',
      set_aside: loops.reduce((sum, loop) => sum + loop.set_aside, set_aside),
      failures: failing?.failures ?? 0,
      last_error: (failing ?? loops.find((loop) => loop.last_error))?.last_error ?? last_error,
    };
  }

  /** Begins to read: what waits is there for the first step. Requests to stop an earlier turn are only acknowledged. */
  open(turn: number, handlers: MailHandlers): Promise<void> | undefined {
    const { message_count, mailbox_cursor } = this.#log.metadata;
    this.#turn = turn;
    this.#handlers = handlers;
    if (message_count > 1 || mailbox_cursor > 0) return this.#readWaiting();
    SessionMail.#later.add(this);
    return undefined;
  }

  async #readWaiting(): Promise<void> {
    for (const item of await this.#log.pendingMail()) this.#receive(item);
    this.#start();
  }

  /**
   * For the orchestrator, between steps: the messages that are known here, oldest first. The record is read only when there is news:
   * mail that another process sends in the last moment of a turn waits until the session is resumed, like mail after it.
   */
  take(): Promise<Message[]> | null {
    if (!this.#handlers || (this.#queue.length === 0 && !this.#log.hasMailNews)) return null;
    return this.#takeAll();
  }

  async #takeAll(): Promise<Message[]> {
    if (this.#log.hasMailNews) {
      for (const item of await this.#log.pendingMail()) this.#receive(item);
    }
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

  /** A promise only if mail was read or received. */
  close(): Promise<void> | undefined {
    SessionMail.#later.delete(this);
    return this.#loop || this.#queue.length > 0 ? this.#finish() : undefined;
  }

  async #finish(): Promise<void> {
    this.#end?.abort(CLOSED);
    await this.#reading;
    if (this.#loop && SessionMail.#loops.delete(this.#loop)) {
      const { set_aside, last_error } = this.#loop.health;
      SessionMail.#earlier.set_aside += set_aside;
      SessionMail.#earlier.last_error = last_error ?? SessionMail.#earlier.last_error;
    }
    await this.#acknowledge();
  }

  /** A record that cannot be read for a while is asked again, so that a cancel or an answer still arrives. */
  #start(): void {
    this.#end = new AbortController();
    this.#reading = this.#served.run(this.#end.signal);
  }

  #receive(item: MailItem): void {
    if (this.#received.has(item.id)) return;
    this.#received.set(item.id, this.#act(item));
    this.#queue.push(item);
  }

  /** Never rejects. What fails is told, and the mail counts as received: a message still reaches the model. */
  async #act(item: MailItem): Promise<void> {
    try {
      if (item.kind === 'answer') this.#handlers?.onAnswer(item);
      else if (item.kind !== 'cancel') await this.#handlers?.onMessage(item);
      else if (item.body.turn === this.#turn) this.#handlers?.onCancel(item);
    } catch (error) {
      // Told from here, because a step may have taken it before the loop saw it.
      await this.#served.putAside(item, error);
    }
  }

  /** Writes the receipts of mail that has acted already and stands first in line. */
  async #acknowledge(): Promise<void> {
    while (this.#queue[0] && isControl(this.#queue[0])) {
      await this.#log.deliver(this.#queue[0], undefined, { durability: 'process' });
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
