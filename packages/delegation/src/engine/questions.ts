import { randomUUID } from 'node:crypto';
import {
  AbortError,
  type ApprovalRequest,
  type ApprovalSystem,
  ApprovalTimeoutError,
  type Clock,
  type JsonObject,
  sleep,
} from '@amplifier/core';
import type { Letter, SessionLog } from '@amplifier/sessions';

/** A question a session waits on. A fact in its log; answered once, through whichever door. */
export interface Question {
  id: string;
  session_id: string;
  agent: string | null;
  kind: 'approval' | 'question';
  prompt: string;
  options: string[];
  asked_at: string;
}

export const QUESTION_ASKED = 'question:asked';
export const QUESTION_ANSWERED = 'question:answered';
export const QUESTION_CLOSED = 'question:closed';

export interface QuestionsOptions {
  log: SessionLog;
  clock: Clock;
  agent: string | null;
  /** Tells the doors. They answer through `Delegator.answer`. */
  onQuestion: (question: Question) => void;
}

/** The open questions of one running session. */
export class Questions implements ApprovalSystem {
  #options: QuestionsOptions;
  #waiting = new Map<string, (answer: string) => void>();

  constructor(options: QuestionsOptions) {
    this.#options = options;
  }

  async requestApproval({
    prompt,
    options,
    timeout,
    signal,
    hook_name,
    event,
  }: ApprovalRequest): Promise<string> {
    return this.ask({ kind: 'approval', prompt, options, details: { hook_name, event } }, timeout, signal);
  }

  /** Asks and waits. Rejects with `ApprovalTimeoutError`, or when the signal aborts. */
  async ask(
    asked: { kind: Question['kind']; prompt: string; options: string[]; details?: JsonObject; id?: string },
    timeout: number,
    signal: AbortSignal,
  ): Promise<string> {
    const { log, clock, agent, onQuestion } = this.#options;
    const { kind, prompt, options, details = {}, id = `question_${randomUUID()}` } = asked;
    // Whoever sees the question on disk may answer it before we hear that it is there.
    const answer = new Promise<string>((resolve) => this.#waiting.set(id, resolve));
    const [stored] = await log.appendEvents([
      { name: QUESTION_ASKED, data: { id, kind, prompt, options, agent, timeout, ...details } },
    ]);
    onQuestion({
      id,
      session_id: log.session_id,
      agent,
      kind,
      prompt,
      options,
      asked_at: stored?.time ?? '',
    });
    try {
      const given = await this.#first(answer, clock, timeout, signal);
      await log.appendEvents([{ name: QUESTION_ANSWERED, data: { id, answer: given } }]);
      return given;
    } catch (error) {
      await log.appendEvents([
        { name: QUESTION_CLOSED, data: { id, why: error instanceof Error ? error.message : String(error) } },
      ]);
      throw error;
    } finally {
      this.#waiting.delete(id);
    }
  }

  onAnswer({ reply_to, body }: Letter): void {
    if (reply_to !== null) this.#waiting.get(reply_to)?.(String(body.text ?? ''));
  }

  async #first(answer: Promise<string>, clock: Clock, timeout: number, signal: AbortSignal): Promise<string> {
    const done = new AbortController();
    const stopped = () => done.abort();
    signal.addEventListener('abort', stopped, { once: true });
    if (signal.aborted) done.abort();
    const late = sleep(clock, timeout * 1000, done.signal).then(
      () => {
        throw new ApprovalTimeoutError(timeout);
      },
      () => {
        throw new AbortError('Stopped while waiting for an answer.');
      },
    );
    try {
      return await Promise.race([answer, late]);
    } finally {
      signal.removeEventListener('abort', stopped);
      done.abort();
      late.catch(() => {});
    }
  }
}
