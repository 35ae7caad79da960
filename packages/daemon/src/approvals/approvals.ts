import { type Clock, errorInfo, isAcceptance, type Report } from '@amplifier/core';
import { DelegationError, type Question } from '@amplifier/delegation';
import type { RunQueue, SessionStore } from '@amplifier/sessions';
import type { ApprovalTimeouts } from '../config.js';
import { DaemonError } from '../daemon-error.js';
import { LONGEST_TIMER_MS, MAX_PAGE } from '../defaults.js';
import type { SessionRuntime } from '../runs/session-runtime.js';
import { type Approval, ApprovalRecords } from './approval-records.js';

export interface ApprovalsParts {
  store: SessionStore;
  queue: RunQueue;
  runtime: SessionRuntime;
  config: ApprovalTimeouts;
  clock: Clock;
  report: Report;
}

/** The questions of sessions, their answers, and the time each may take. */
export class Approvals {
  readonly #parts: ApprovalsParts;
  readonly #records: ApprovalRecords;
  readonly #timers = new Map<string, () => void>();
  #closed = false;

  constructor(parts: ApprovalsParts) {
    this.#parts = parts;
    this.#records = new ApprovalRecords(parts.store, parts.queue, parts.config);
  }

  /** Of a session and everything below it, in the order they were asked. */
  async list(session_id: string): Promise<Approval[]> {
    await this.#parts.store.metadata(session_id);
    return this.#records.of(await this.#subtree(session_id));
  }

  /** Those of all sessions that wait for an answer. */
  async pending(): Promise<Approval[]> {
    const all = await this.#records.of(await this.#activeSessions());
    return all.filter(({ status }) => status === 'pending');
  }

  async get(session_id: string, approval_id: string): Promise<Approval> {
    const found = (await this.list(session_id)).find((each) => each.approval_id === approval_id);
    if (found) return found;
    throw new DaemonError(
      'APPROVAL_NOT_FOUND',
      `Neither session ${session_id} nor any below it has an approval ${approval_id}.`,
    );
  }

  /** Answers once. It is on disk when this resolves, and reaches the session wherever and whenever it runs. */
  async answer(approval: Approval, text: string, from: string | null = null): Promise<Approval> {
    const { session_id, approval_id, status } = approval;
    if (status === 'answered') throw answeredAlready(approval_id);
    if (status === 'closed') throw nobodyWaits(approval);
    const { delegator } = await this.#parts.runtime.host();
    try {
      await delegator.control.answer(session_id, approval_id, text, from);
    } catch (error) {
      if (!(error instanceof DelegationError)) throw error;
      if (error.code === 'QUESTION_ANSWERED') throw answeredAlready(approval_id);
      if (error.code === 'QUESTION_NOT_FOUND') throw nobodyWaits(approval);
      throw error;
    }
    this.#disarm(approval_id);
    return this.get(session_id, approval_id);
  }

  /** A session asks: from now on its time runs. */
  asked({ session_id, id }: Question): void {
    this.#watch(this.#arm(session_id, id));
  }

  /** Takes up the time of those that were asked before this process was started. */
  start(): void {
    this.#watch(
      (async () => {
        for (const approval of await this.pending()) this.#schedule(approval);
      })(),
    );
  }

  close(): void {
    this.#closed = true;
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
  }

  async #arm(session_id: string, approval_id: string): Promise<void> {
    const [approval] = (await this.#records.of([session_id])).filter(
      (each) => each.approval_id === approval_id,
    );
    if (approval?.status === 'pending') this.#schedule(approval);
  }

  #schedule(approval: Approval): void {
    const { approval_id, session_id, expires_at } = approval;
    if (expires_at === null || this.#closed) return;
    this.#disarm(approval_id);
    const left = Date.parse(expires_at) - this.#parts.clock.now();
    const due = () =>
      this.#watch(left > LONGEST_TIMER_MS ? this.#arm(session_id, approval_id) : this.#expire(approval));
    this.#timers.set(
      approval_id,
      this.#parts.clock.after(Math.min(Math.max(0, left), LONGEST_TIMER_MS), due),
    );
  }

  async #expire(approval: Approval): Promise<void> {
    this.#timers.delete(approval.approval_id);
    try {
      await this.answer(approval, wordFor(approval), 'timeout');
    } catch (error) {
      // A person was faster, or nobody waits any more.
      if (!(error instanceof DaemonError)) throw error;
    }
  }

  #disarm(approval_id: string): void {
    this.#timers.get(approval_id)?.();
    this.#timers.delete(approval_id);
  }

  #watch(work: Promise<void>): void {
    work.catch((error) => {
      if (this.#closed) return;
      this.#parts.report({
        level: 'error',
        code: 'APPROVALS_FAILED',
        message: errorInfo(error).message,
        error,
      });
    });
  }

  async #subtree(session_id: string): Promise<string[]> {
    const ids = [session_id];
    for (const id of ids) {
      const children = await this.#parts.store.children(id);
      ids.push(...children.map((child) => child.session_id));
    }
    return ids;
  }

  async #activeSessions(): Promise<string[]> {
    const ids: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<SessionStore['list']>> = await this.#parts.store.list({
        status: ['active'],
        limit: MAX_PAGE,
        ...(cursor === null ? {} : { cursor }),
      });
      ids.push(...page.sessions.map((session) => session.session_id));
      cursor = page.next_cursor;
    } while (cursor !== null);
    return ids;
  }
}

/** The option that says what the policy says, in the words the question offers. */
function wordFor({ options, on_timeout }: Approval): string {
  if (on_timeout === 'allow') return options.find(isAcceptance) ?? 'Allow once';
  return options.find((option) => !isAcceptance(option)) ?? 'Deny';
}

function answeredAlready(approval_id: string): DaemonError {
  return new DaemonError(
    'APPROVAL_ANSWERED',
    `Approval ${approval_id} has been answered already; its answer stands.`,
  );
}

function nobodyWaits({ approval_id, closed_because }: Approval): DaemonError {
  const why = closed_because ?? 'The session goes on without it.';
  return new DaemonError('APPROVAL_CLOSED', `Nobody waits for approval ${approval_id} any more: ${why}`);
}
