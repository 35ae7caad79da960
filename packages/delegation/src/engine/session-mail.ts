import type { Message } from '@amplifier/core';
import type { Letter, SessionLog } from '@amplifier/sessions';
import { MAIL_DELAY_MS } from '../defaults.js';

export interface MailHandlers {
  onCancel(letter: Letter): void;
  onAnswer(letter: Letter): void;
  /**
   * A letter that becomes a message has come, perhaps not for the first time: an earlier process may have seen it and died.
   * It becomes a message only when this has resolved.
   */
  onMessage(letter: Letter): Promise<void>;
}

/**
 * The letters of a running session. A cancel or an answer acts at once; anything else waits for the next step of the loop
 * and becomes a message there. Receipts are written in the order of arrival, each in one write with its effect, so
 * that a letter counts exactly once whatever crashes.
 */
export class SessionMail {
  #log: SessionLog;
  #queue: Letter[] = [];
  #letters = new Map<Message, Letter>();
  #received = new Map<string, Promise<void>>();
  #end: AbortController | null = null;
  #starting: NodeJS.Timeout | undefined;
  #turn = 0;
  #handlers: MailHandlers | null = null;
  #reading: Promise<void> | null = null;

  constructor(log: SessionLog) {
    this.#log = log;
  }

  /** Begins to read: what waits is there for the first step. Requests to stop an earlier turn are only acknowledged. */
  async open(turn: number, handlers: MailHandlers): Promise<void> {
    const { message_count, mailbox_cursor } = this.#log.metadata;
    const isNew = message_count <= 1 && mailbox_cursor === 0;
    this.#turn = turn;
    this.#handlers = handlers;
    if (isNew) {
      // Pacing, not time that anybody measures: it must pass in a test that stops the clock, too.
      this.#starting = setTimeout(() => this.#start(handlers), MAIL_DELAY_MS);
      return;
    }
    for (const letter of await this.#log.pendingMail()) this.#receive(letter, handlers);
    this.#start(handlers);
  }

  /** For the orchestrator, between steps: the messages that were sent before the call, oldest first. */
  async take(): Promise<Message[]> {
    if (!this.#handlers) return [];
    // News of a letter may be on its way while the letter is there.
    for (const letter of await this.#log.pendingMail()) this.#receive(letter, this.#handlers);
    if (this.#queue.length === 0) return [];
    await this.#acknowledge();
    const next = this.#queue.findIndex(isControl);
    const letters = this.#queue.splice(0, next === -1 ? this.#queue.length : next);
    await Promise.all(letters.map(({ id }) => this.#received.get(id)));
    return letters.map((letter) => {
      const message = letterMessage(letter);
      this.#letters.set(message, letter);
      return message;
    });
  }

  /** The letter a message was made from; the log writes message and receipt as one. */
  letterOf(message: Message): Letter | undefined {
    return this.#letters.get(message);
  }

  async close(): Promise<void> {
    clearTimeout(this.#starting);
    this.#end?.abort(CLOSED);
    if (this.#reading) await this.#reading;
    await this.#acknowledge();
  }

  #start(handlers: MailHandlers): void {
    this.#reading = this.#read(handlers);
    this.#reading.catch(() => {});
  }

  async #read(handlers: MailHandlers): Promise<void> {
    this.#end = new AbortController();
    for await (const letter of this.#log.mail(this.#end.signal)) this.#receive(letter, handlers);
  }

  #receive(letter: Letter, { onCancel, onAnswer, onMessage }: MailHandlers): void {
    if (this.#received.has(letter.id)) return;
    const isMessage = !isControl(letter);
    const received = isMessage ? onMessage(letter) : Promise.resolve();
    received.catch(() => {});
    this.#received.set(letter.id, received);
    this.#queue.push(letter);
    if (letter.kind === 'answer') onAnswer(letter);
    if (letter.kind === 'cancel' && letter.body.turn === this.#turn) onCancel(letter);
  }

  /** Writes the receipts of letters that have acted already and stand first in line. */
  async #acknowledge(): Promise<void> {
    while (this.#queue[0] && isControl(this.#queue[0])) {
      await this.#log.deliver(this.#queue[0]);
      this.#queue.shift();
    }
  }
}

/** Given so that no error object with a stack is made each time a session ends. */
const CLOSED = 'closed';

function isControl({ kind }: Letter): boolean {
  return kind === 'cancel' || kind === 'answer';
}

export function letterMessage({ kind, from, id, body }: Letter): Message {
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
    metadata: { source: kind === 'message' && from === null ? 'user' : 'runtime', letter_id: id, kind, from },
  };
}
