import { isOwn, newestRuns, orderOf, RUN_KIND } from '@amplifier/host/runs';
import {
  eventPages,
  isTerminal,
  type RunQueue,
  type RunRecord,
  type SessionStore,
} from '@amplifier/sessions';
import type { ApprovalTimeouts } from '../config.js';
import { APPROVAL_CACHE } from '../defaults.js';
import { type Approval, type ApprovalRecord, foldApprovals, withAnswers } from './fold-approvals.js';

interface Folded {
  /** Of the session: an id may be used again. */
  created: string;
  seq: number;
  records: Map<string, ApprovalRecord>;
}

/** Reads the approvals of sessions from their logs. What was read once is kept, so that a second look reads only what is new. */
export class ApprovalRecords {
  readonly #store: SessionStore;
  readonly #queue: RunQueue;
  readonly #config: ApprovalTimeouts;
  readonly #folded = new Map<string, Folded>();

  constructor(store: SessionStore, queue: RunQueue, config: ApprovalTimeouts) {
    this.#store = store;
    this.#queue = queue;
    this.#config = config;
  }

  /** In the order they were asked. */
  async of(session_ids: readonly string[]): Promise<Approval[]> {
    const found: Approval[] = [];
    for (const session_id of session_ids) {
      const records = await this.#records(session_id);
      if (records.length === 0) continue;
      const timeouts = await this.#timeouts(session_id);
      found.push(...records.map((record) => withTimeouts(record, timeouts)));
    }
    return found.sort((a, b) => (a.asked_at < b.asked_at ? -1 : a.asked_at > b.asked_at ? 1 : 0));
  }

  async #records(session_id: string): Promise<ApprovalRecord[]> {
    const store = this.#store;
    const { created, status } = await store.metadata(session_id);
    const kept = this.#folded.get(session_id);
    const folded = kept?.created === created ? kept : { created, seq: 0, records: new Map() };
    for await (const events of eventPages(store, session_id, { after: folded.seq })) {
      // Another request may have folded them in the meantime.
      const news = events.filter(({ seq }) => seq > folded.seq);
      foldApprovals(folded.records, news);
      folded.seq = news.at(-1)?.seq ?? folded.seq;
    }
    this.#keep(session_id, folded);
    const records = [...folded.records.values()];
    if (records.length === 0) return records;
    const known = withAnswers(records, await store.mail(session_id));
    return isTerminal(status) ? known.map(closedWithSession) : known;
  }

  /** The newest last; the oldest make room. */
  #keep(session_id: string, folded: Folded): void {
    this.#folded.delete(session_id);
    this.#folded.set(session_id, folded);
    const [oldest] = this.#folded.keys();
    if (this.#folded.size > APPROVAL_CACHE && oldest !== undefined) this.#folded.delete(oldest);
  }

  /** Those of the run that the session works for, over those of the daemon. */
  async #timeouts(session_id: string): Promise<ApprovalTimeouts> {
    for (let at: string | null = session_id; at !== null && (await this.#store.has(at)); ) {
      const run = await this.#runOf(at);
      if (run) return { ...this.#config, ...orderOf(run).approvals } as ApprovalTimeouts;
      at = (await this.#store.metadata(at)).parent_id;
    }
    return this.#config;
  }

  /** The run that is or was at work on a session: one of its own, or the delegation that made it. */
  async #runOf(session_id: string): Promise<RunRecord | null> {
    const running = await this.#queue.list({ session_id, kind: RUN_KIND, status: 'running' });
    const working = running.find(isOwn);
    if (working) return working;
    for await (const run of newestRuns(this.#queue, { session_id })) {
      if (isOwn(run) && run.started !== null) return run;
    }
    const { tool_call_id } = await this.#store.metadata(session_id);
    const called = tool_call_id === null ? null : await this.#queue.get(tool_call_id);
    return called?.kind === RUN_KIND ? called : null;
  }
}

function withTimeouts(record: ApprovalRecord, { timeout_seconds, on_timeout }: ApprovalTimeouts): Approval {
  const waits = record.kind === 'question' || timeout_seconds === null || on_timeout === 'leave';
  const expires_at = waits
    ? null
    : new Date(Date.parse(record.asked_at) + timeout_seconds * 1000).toISOString();
  return { ...record, expires_at, on_timeout };
}

function closedWithSession(record: ApprovalRecord): ApprovalRecord {
  if (record.status !== 'pending') return record;
  return { ...record, status: 'closed', closed_because: 'The session has ended.' };
}
