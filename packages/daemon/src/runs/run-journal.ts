import { keptOutcome } from '@amplifier/delegation';
import type { NewEvent, SessionStore } from '@amplifier/sessions';
import { TURN_PATIENCE_MS } from '../defaults.js';
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
    const event = runEvent(RUN_QUEUED, run_id, { kind, busy, continued_from });
    await this.#logs.share(order.session_id, (log) => log.appendEvents([event]));
  }

  async started(run_id: string, { session_id, kind }: RunOrder, attempt: number): Promise<void> {
    await this.append(session_id, [runEvent(RUN_STARTED, run_id, { kind, attempt }, attempt)]);
  }

  /** Returns the place of the event in the log. */
  async ended(run_id: string, session_id: string, ending: RunEnding): Promise<number> {
    const outcome = ending.outcome && (await keptOutcome(this.#store, ending.outcome));
    const [event] = await this.append(session_id, [runEvent(RUN_ENDED, run_id, { ...ending, outcome })]);
    return event?.seq ?? 0;
  }

  append(session_id: string, events: readonly NewEvent[]) {
    return this.#logs.share(session_id, (log) => log.appendEvents(events), TURN_PATIENCE_MS);
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
