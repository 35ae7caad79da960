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
import type { MailItem, SessionLog } from '@amplifier/sessions';

/** A question a session waits on. A fact in its log; answered once, at whichever entry point. */
export interface Question {
  id: string;
  session_id: string;
  agent: string | null;
  kind: 'approval' | 'question';
  prompt: string;
  options: string[];
  asked_at: string;
  /** The tool call it is about, for entry points of this process. The log has the call itself. */
  subject?: JsonObject | null;
  /** Names the call that an approval is about: its tool and its whole input. Null if it is about none. */
  digest?: string | null;
}

export const QUESTION_ASKED = 'question:asked';
export const QUESTION_ANSWERED = 'question:answered';
export const QUESTION_CLOSED = 'question:closed';

/** A question that a dead process of this very turn was waiting on, and the answer when there is one by now. */
export interface LeftQuestion {
  question: Question;
  answer: string | null;
}

export interface QuestionsOptions {
  log: SessionLog;
  clock: Clock;
  agent: string | null;
  /**
   * Asked again, these are taken up under their own id, so that an answer counts whenever it came. An approval is asked again only
   * for a call with the same digest: the same words may be about another call.
   */
  left?: readonly LeftQuestion[];
  /** Approvals wait for as long as it takes: whoever is told of them sees to the time. */
  withoutTimeout?: boolean;
  /** Tells the entry points. They answer through `Delegator.answer`. */
  onQuestion: (question: Question) => void;
}

/** The open questions of one running session. */
export class Questions implements ApprovalSystem {
  #options: QuestionsOptions;
  #waiting = new Map<string, (answer: string) => void>();
  #left: Map<string, LeftQuestion>;

  constructor(options: QuestionsOptions) {
    this.#options = options;
    this.#left = new Map((options.left ?? []).map((each) => [each.question.id, { ...each }]));
  }

  async requestApproval({
    prompt,
    options,
    timeout,
    signal,
    hook_name,
    event,
    subject = null,
  }: ApprovalRequest): Promise<string> {
    const patience = this.#options.withoutTimeout ? null : timeout;
    const details = { hook_name, event };
    return this.ask({ kind: 'approval', prompt, options, details, subject }, patience, signal);
  }

  /** Asks and waits. Rejects with `ApprovalTimeoutError` after `timeout` seconds, or when the signal aborts. */
  async ask(
    asked: Pick<Question, 'kind' | 'prompt' | 'options' | 'subject'> & { details?: JsonObject; id?: string },
    timeout: number | null,
    signal: AbortSignal,
  ): Promise<string> {
    const { log, clock, agent, onQuestion } = this.#options;
    const { kind, prompt, options, details = {}, subject = null } = asked;
    const digest = typeof subject?.digest === 'string' ? subject.digest : null;
    const left = this.#takeUp({ kind, prompt, options, digest });
    const id = left?.question.id ?? asked.id ?? `question_${randomUUID()}`;
    // Whoever sees the question on disk may answer it before we hear that it is there.
    const answer = new Promise<string>((resolve) => this.#waiting.set(id, resolve));
    let asked_at = left?.question.asked_at;
    if (asked_at === undefined) {
      const data = { id, kind, prompt, options, agent, timeout, digest, ...details, ...callOf(subject) };
      const [stored] = await log.appendEvents([{ name: QUESTION_ASKED, data }]);
      asked_at = stored?.time ?? '';
    }
    if (left?.answer != null) this.#waiting.get(id)?.(left.answer);
    else onQuestion({ id, session_id: log.session_id, agent, kind, prompt, options, asked_at, subject });
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

  onAnswer({ reply_to, body }: MailItem): void {
    if (reply_to === null) return;
    const answer = String(body.text ?? '');
    const left = this.#left.get(reply_to);
    if (left) left.answer = answer;
    this.#waiting.get(reply_to)?.(answer);
  }

  /** The turn is over. What an earlier process asked and nobody took up is waited for by nobody. */
  close(): Promise<unknown> | undefined {
    if (this.#left.size === 0) return undefined;
    const data = (id: string) => ({ id, why: 'The turn ended without asking again.' });
    const closed = [...this.#left.keys()].map((id) => ({ name: QUESTION_CLOSED, data: data(id) }));
    this.#left.clear();
    return this.#options.log.appendEvents(closed);
  }

  #takeUp(
    asked: Pick<Question, 'kind' | 'prompt' | 'options'> & { digest: string | null },
  ): LeftQuestion | undefined {
    for (const [id, left] of this.#left) {
      const { kind, prompt, options, digest = null } = left.question;
      const isSame = kind === asked.kind && prompt === asked.prompt && sameWords(options, asked.options);
      const isSameCall = kind === 'question' || (digest !== null && digest === asked.digest);
      if (!isSame || !isSameCall) continue;
      this.#left.delete(id);
      return left;
    }
    return undefined;
  }

  async #first(
    answer: Promise<string>,
    clock: Clock,
    timeout: number | null,
    signal: AbortSignal,
  ): Promise<string> {
    const done = new AbortController();
    const stopped = () => done.abort();
    signal.addEventListener('abort', stopped, { once: true });
    if (signal.aborted) done.abort();
    const late = patience(clock, timeout, done.signal).then(
      () => {
        throw new ApprovalTimeoutError(timeout ?? 0);
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

/** What the log keeps of the call. Its input only if the transcript does not have it: a hook changed it, or an external agent asks. */
function callOf(subject: JsonObject | null): JsonObject {
  if (subject === null) return { tool_call_id: null };
  const { tool_call_id = null, tool_name = null, tool_input, changed } = subject;
  return { tool_call_id, tool_name, ...(changed === false ? {} : { tool_input }) };
}

/** Resolves when the time is over, rejects when the signal aborts. Without a time only the signal counts. */
function patience(clock: Clock, seconds: number | null, signal: AbortSignal): Promise<void> {
  if (seconds !== null) return sleep(clock, seconds * 1000, signal);
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function sameWords(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((word, at) => word === b[at]);
}
