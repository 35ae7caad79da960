import type { NewEvent, SessionStore } from '@amplifier/sessions';
import type { LogPool } from '../sessions/log-pool.js';
import { RUN_ENDED, RUN_QUEUED, RUN_STARTED, runEvent } from './run-events.js';
import type { RunEnding, RunOrder } from './run-record.js';

/** What the session's log has of a run. */
export interface RunFacts {
  queued: boolean;
  /** How often it was begun. */
  starts: number;
  ending: { ending: RunEnding; seq: number } | null;
}

/** Writes the facts of runs into their sessions' logs, also while a turn of the session is running. */
export class RunJournal {
  readonly #store: SessionStore;
  readonly #logs: LogPool;

  constructor(store: SessionStore, logs: LogPool) {
    this.#store = store;
    this.#logs = logs;
  }

  async queued(run_id: string, order: RunOrder): Promise<void> {
    const { kind, busy, continued_from } = order;
    await this.append(order.session_id, [runEvent(RUN_QUEUED, run_id, { kind, busy, continued_from })]);
  }

  async started(run_id: string, { session_id, kind }: RunOrder, attempt: number): Promise<void> {
    await this.append(session_id, [runEvent(RUN_STARTED, run_id, { kind, attempt }, attempt)]);
  }

  /** Returns the place of the event in the log. */
  async ended(run_id: string, session_id: string, ending: RunEnding): Promise<number> {
    const [event] = await this.append(session_id, [runEvent(RUN_ENDED, run_id, ending)]);
    return event?.seq ?? 0;
  }

  append(session_id: string, events: readonly NewEvent[]) {
    return this.#logs.share(session_id, (log) => log.appendEvents(events));
  }

  /** Reads the whole log: for runs that another process began. */
  async facts(run_id: string, session_id: string): Promise<RunFacts> {
    const facts: RunFacts = { queued: false, starts: 0, ending: null };
    for (const { name, data, seq } of await this.#store.events(session_id)) {
      if (data.run_id !== run_id) continue;
      if (name === RUN_QUEUED) facts.queued = true;
      if (name === RUN_STARTED) facts.starts++;
      if (name === RUN_ENDED) facts.ending = { ending: data as unknown as RunEnding, seq };
    }
    return facts;
  }
}
