import { type Report, textOf } from '@amplifier/core';
import {
  type LaunchRecord,
  type MailHandlers,
  readStructuredAnswer,
  repairPrompt,
  SessionMail,
  type Turn,
} from '@amplifier/delegation';
import type { TurnMirror } from './turn-mirror.js';

/** What an agent is still to be told when it has answered: mail that came meanwhile, then the form its answer lacks. */
export class FollowUps {
  readonly #turn: Turn;
  readonly #schema: LaunchRecord['output_schema'];
  readonly #mirror: TurnMirror;
  readonly #mail: SessionMail;
  #opened: Promise<void> | undefined;
  #schemaTries = 0;
  /** The check of the last answer against the requested form, if any. */
  structured: { data?: unknown; mismatch?: string } = {};

  constructor(turn: Turn, mirror: TurnMirror, report: Report) {
    this.#turn = turn;
    this.#schema = turn.launch.output_schema;
    this.#mirror = mirror;
    this.#mail = new SessionMail(turn.log, report);
  }

  /** Begins to read mail, once. */
  open(handlers: MailHandlers): void {
    this.#opened ??= this.#mail.open(this.#turn.number, handlers) ?? Promise.resolve();
    this.#opened.catch(() => {});
  }

  /** The next thing to say; null when there is nothing. */
  async next(answer: string): Promise<string | null> {
    await this.#opened;
    const messages = (await this.#mail.take()) ?? [];
    if (messages.length > 0) {
      this.#mirror.concluded(answer, true);
      await this.#mirror.flush();
      for (const message of messages) {
        const item = this.#mail.mailOf(message);
        const { role, content, metadata = {} } = message;
        if (item) await this.#turn.log.deliver(item, { message: { role, content, metadata } });
      }
      return messages.map(({ content }) => textOf(content)).join('\n\n');
    }
    const schema = this.#schema;
    if (!schema) return null;
    const reading = await readStructuredAnswer(answer, schema);
    this.structured = 'fault' in reading ? { mismatch: reading.fault } : { data: reading.data };
    return 'fault' in reading && this.#schemaTries++ === 0 ? repairPrompt(reading.fault, schema) : null;
  }

  async close(): Promise<void> {
    if (!this.#opened) return;
    await this.#opened.catch(() => {});
    await this.#mail.close();
  }
}
