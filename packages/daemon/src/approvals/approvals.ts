import {
  type Clock,
  isAcceptance,
  type LoopHealth,
  type Report,
  SupervisedLoop,
  WaitingLine,
} from '@amplifier/core';
import { DelegationError, type Question } from '@amplifier/delegation';
import { isTerminal, type RunQueue, type SessionStore } from '@amplifier/sessions';
import type { ApprovalTimeouts } from '../config.js';
import { DaemonError } from '../daemon-error.js';
import { APPROVAL_RETRY_MS, LONGEST_TIMER_MS, MAX_PAGE } from '../defaults.js';
import type { SessionHosts } from '../runs/session-hosts.js';
import { withinTree } from '../views/tree-node.js';
import { ApprovalRecords } from './approval-records.js';
import type { Approval } from './fold-approvals.js';

export interface ApprovalsParts {
  store: SessionStore;
  queue: RunQueue;
  hosts: SessionHosts;
  config: ApprovalTimeouts;
  clock: Clock;
  report: Report;
}

/** What is to be looked at: an approval whose time may be over, or those of all sessions. */
type Due = { session_id: string; approval_id: string } | 'all';

/** The questions of sessions, their answers, and the time each may take. */
export class Approvals {
  readonly #parts: ApprovalsParts;
  readonly #records: ApprovalRecords;
  readonly #timers = new Map<string, () => void>();
  readonly #line = new WaitingLine<Due>();
  readonly #stop = new AbortController();
  readonly #loop: SupervisedLoop<Due>;

  constructor(parts: ApprovalsParts) {
    this.#parts = parts;
    const { clock, report } = parts;
    this.#loop = new SupervisedLoop<Due>({
      name: 'approval time-outs',
      clock,
      report,
      items: (signal) => this.#line.items(signal),
      serve: (due) => this.#take(due),
      nameOf: (due) => (due === 'all' ? 'the approvals of all sessions' : `approval ${due.approval_id}`),
      setAside: async (due) => this.#later(due === 'all' ? due : due.approval_id, APPROVAL_RETRY_MS, due),
    });
    this.#records = new ApprovalRecords(parts.store, parts.queue, parts.config);
  }

  /** Those of the sessions in another view of the record. Their time is looked after here. */
  of(store: SessionStore, queue: RunQueue): Approvals {
    return new Approvals({ ...this.#parts, store, queue });
  }

  /** Of a session and everything below it, in the order they were asked; those of one status where only they are wanted. */
  async list(session_id: string, status?: Approval['status']): Promise<Approval[]> {
    const { store } = this.#parts;
    const { root_id } = await store.metadata(session_id);
    const nodes = withinTree(await store.tree(root_id, Number.MAX_SAFE_INTEGER), session_id);
    // In a session that has ended nothing waits.
    const looked = status === 'pending' ? nodes.filter((node) => !isTerminal(node.status)) : nodes;
    const all = await this.#records.of(looked.map((node) => node.session_id));
    return status === undefined ? all : all.filter((each) => each.status === status);
  }

  /** Those of all sessions that wait for an answer. */
  async pending(): Promise<Approval[]> {
    const all = await this.#records.of(await this.#activeSessions());
    return all.filter(({ status }) => status === 'pending');
  }

  /** Those of these sessions that wait for an answer. */
  async pendingIn(session_ids: readonly string[]): Promise<Approval[]> {
    return (await this.#records.of(session_ids)).filter(({ status }) => status === 'pending');
  }

  async get(session_id: string, approval_id: string): Promise<Approval> {
    const found = (await this.list(session_id)).find((each) => each.approval_id === approval_id);
    if (found) return found;
    throw new DaemonError(
      'APPROVAL_NOT_FOUND',
      `Neither session ${session_id} nor its descendants have an approval ${approval_id}.`,
    );
  }

  /** Answers once. It is on disk when this resolves, and reaches the session wherever and whenever it runs. */
  async answer(approval: Approval, text: string, from: string | null = null): Promise<Approval> {
    const { session_id, approval_id, status } = approval;
    if (status === 'answered') throw answeredAlready(approval_id);
    if (status === 'closed') throw nobodyWaits(approval);
    const { delegator } = await this.#parts.hosts.of(session_id);
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

  /** How the loop is that ends the time of approvals. */
  get health(): LoopHealth {
    return this.#loop.health;
  }

  /** A session asks: from now on its time runs. */
  asked({ session_id, id }: Question): void {
    this.#line.push({ session_id, approval_id: id });
  }

  /** Takes up the time of those that were asked before this process was started. */
  start(): void {
    void this.#loop.run(this.#stop.signal);
    this.#line.push('all');
  }

  close(): void {
    this.#stop.abort();
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
  }

  /** Ends what is due, and arms what is not yet. */
  async #take(due: Due): Promise<void> {
    if (due === 'all') {
      for (const approval of await this.pending()) this.#schedule(approval);
      return;
    }
    const approvals = await this.#records.of([due.session_id]);
    const approval = approvals.find(({ approval_id }) => approval_id === due.approval_id);
    if (approval?.status !== 'pending' || approval.expires_at === null) return;
    if (Date.parse(approval.expires_at) > this.#parts.clock.now()) this.#schedule(approval);
    else await this.#expire(approval);
  }

  #schedule({ approval_id, session_id, expires_at }: Approval): void {
    if (expires_at === null) return;
    const left = Date.parse(expires_at) - this.#parts.clock.now();
    this.#later(approval_id, left, { session_id, approval_id });
  }

  #later(id: string, ms: number, due: Due): void {
    this.#disarm(id);
    if (this.#stop.signal.aborted) return;
    const go = () => {
      this.#timers.delete(id);
      this.#line.push(due);
    };
    this.#timers.set(id, this.#parts.clock.after(Math.min(Math.max(0, ms), LONGEST_TIMER_MS), go));
  }

  async #expire(approval: Approval): Promise<void> {
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
    `Approval ${approval_id} has already been answered; the answer is final.`,
  );
}

function nobodyWaits({ approval_id, closed_because }: Approval): DaemonError {
  const why = closed_because ?? 'The session continued without it.';
  return new DaemonError('APPROVAL_CLOSED', `Approval ${approval_id} is no longer pending: ${why}`);
}
