import { keptOutcome } from '@amplifier/delegation';
import {
  eventPages,
  type NewEvent,
  type SessionEvent,
  type SessionLog,
  type SessionStore,
} from '@amplifier/sessions';
import { TURN_PATIENCE_MS } from '../defaults.js';
import type { LogPool } from '../sessions/log-pool.js';
import { RUN_ENDED, RUN_QUEUED, RUN_STARTED, runEvent } from './run-events.js';
import type { RunEnding, RunOrder } from './run-record.js';

/** The record is synced before an answer about a run. */
const COMMITTED = { durability: 'process' } as const;

/** What the session's log has of a run. */
export interface RunFacts {
  queued: boolean;
  /** How often it was begun. */
  starts: number;
  ending: { ending: RunEnding; seq: number } | null;
}

/**
 * Writes the facts of runs into their sessions' logs, also while a turn of the session is running. Where several processes share the
 * record, more than one may come to write the same fact: whoever has the log looks first whether it stands there.
 */
export class RunJournal {
  readonly #store: SessionStore;
  readonly #logs: LogPool;
  readonly #isShared: boolean;
  /** Up to where the log is known to have nothing of a run that is not known here. */
  readonly #seen = new Map<string, number>();
  /** What is being written about runs, so that whoever looks whether a fact stands there looks after the last. */
  readonly #writing = new Map<string, Promise<unknown>>();

  constructor(store: SessionStore, logs: LogPool, isShared: boolean) {
    this.#store = store;
    this.#logs = logs;
    this.#isShared = isShared;
  }

  /** A run is about to be taken on: nothing of it was in the log up to there. */
  expect(run_id: string, event_count: number): void {
    if (this.#isShared) this.#seen.set(run_id, event_count);
  }

  async queued(run_id: string, order: RunOrder): Promise<void> {
    const { session_id, kind, busy, continued_from } = order;
    await this.once(session_id, run_id, [runEvent(RUN_QUEUED, run_id, { kind, busy, continued_from })]);
  }

  /** `starts`: how often it was begun before, as far as the log said; `token`: that of the claim, which begins it once. */
  async started(
    run_id: string,
    { session_id, kind }: RunOrder,
    { starts, token }: { starts: number; token: number },
  ): Promise<void> {
    // Nothing is looked up first: what the turn writes must come after it.
    await this.append(session_id, [runEvent(RUN_STARTED, run_id, { kind, attempt: starts + 1 }, token)]);
  }

  /** How it ended, and where that stands: as given, unless another process was first. `check` throws where it is no longer ours to say. */
  async ended(
    run_id: string,
    session_id: string,
    ending: RunEnding,
    waiting: { patienceMs?: number; check?: () => Promise<unknown> } = {},
  ): Promise<{ status: RunEnding['status']; seq: number }> {
    const outcome = ending.outcome && (await keptOutcome(this.#store, ending.outcome));
    const event = runEvent(RUN_ENDED, run_id, { ...ending, outcome });
    const patient = { patienceMs: TURN_PATIENCE_MS, ...waiting };
    const [written] = (await this.once(session_id, run_id, [event], patient)) as [SessionEvent];
    this.#seen.delete(run_id);
    return { status: written.data.status as RunEnding['status'], seq: written.seq };
  }

  /** Facts of a run that others may have written as well. Resolves with them as they stand in the log. */
  async once(
    session_id: string,
    run_id: string,
    events: readonly NewEvent[],
    { patienceMs, check }: { patienceMs?: number; check?: () => Promise<unknown> } = {},
  ): Promise<SessionEvent[]> {
    const write = async (log: Pick<SessionLog, 'appendEvents'>) => {
      if (!this.#isShared) return log.appendEvents(events, COMMITTED);
      const known: SessionEvent[] = [];
      const after = this.#seen.get(run_id) ?? 0;
      for await (const later of eventPages(this.#store, session_id, { after }))
        known.push(...later.filter(({ id }) => events.some((event) => event.id === id)));
      const missing = events.filter((event) => !known.some(({ id }) => id === event.id));
      if (missing.length > 0) await check?.();
      return [...known, ...(await log.appendEvents(missing, COMMITTED))];
    };
    const share = () => this.#logs.share(session_id, write, patienceMs);
    const written = (this.#writing.get(run_id) ?? Promise.resolve()).then(share, share);
    this.#writing.set(run_id, written);
    try {
      return await written;
    } finally {
      if (this.#writing.get(run_id) === written) this.#writing.delete(run_id);
    }
  }

  append(session_id: string, events: readonly NewEvent[]) {
    return this.#logs.share(session_id, (log) => log.appendEvents(events, COMMITTED), TURN_PATIENCE_MS);
  }

  /** Reads the whole log: for runs that another process began. */
  async facts(run_id: string, session_id: string): Promise<RunFacts> {
    const facts: RunFacts = { queued: false, starts: 0, ending: null };
    for await (const events of eventPages(this.#store, session_id)) {
      if (this.#isShared) this.#seen.set(run_id, events.at(-1)?.seq ?? 0);
      for (const { name, data, seq } of events) {
        if (data.run_id !== run_id) continue;
        if (name === RUN_QUEUED) facts.queued = true;
        if (name === RUN_STARTED) facts.starts++;
        if (name === RUN_ENDED) facts.ending = { ending: data as unknown as RunEnding, seq };
      }
    }
    return facts;
  }
}
