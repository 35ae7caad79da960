import type { Clock } from '@amplifier/core';
import { hasCode, type SessionLog, type SessionStore } from '@amplifier/sessions';
import { LOG_IDLE_MS, MAX_OPEN_LOGS } from '../defaults.js';

interface Entry {
  log: Promise<SessionLog>;
  users: number;
  /** Called when the last user is done. */
  whenUnused: (() => void)[];
  cancelIdle: (() => void) | undefined;
}

/**
 * The logs that requests write to. Opening one costs a lock and a look at the files, so each stays open for a moment
 * after its last use. Whoever else wants to write or delete a session must `release` it here first.
 */
export class LogPool {
  readonly #store: SessionStore;
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();
  readonly #closing = new Map<string, Promise<void>>();

  constructor(store: SessionStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Runs `work` with the session's log. Many may do so at once; the log keeps their order. */
  async use<T>(session_id: string, work: (log: SessionLog) => Promise<T>): Promise<T> {
    // Another one may be closing by the time the first has closed.
    for (let busy = this.#closing.get(session_id); busy; busy = this.#closing.get(session_id)) await busy;
    const entry = this.#entry(session_id);
    entry.users++;
    entry.cancelIdle?.();
    entry.cancelIdle = undefined;
    try {
      return await work(await entry.log);
    } catch (error) {
      if (hasCode(error, 'LOG_BROKEN') || hasCode(error, 'FENCED')) this.#forget(session_id, entry);
      throw error;
    } finally {
      if (--entry.users === 0) for (const go of entry.whenUnused) go();
      this.#idle(session_id, entry);
    }
  }

  /** Takes over a log that somebody has just opened. */
  adopt(log: SessionLog): void {
    const entry: Entry = { log: Promise.resolve(log), users: 0, whenUnused: [], cancelIdle: undefined };
    this.#entries.set(log.session_id, entry);
    this.#idle(log.session_id, entry);
    this.#shrink();
  }

  /** The log when it is open, for a reader that wants the newest without a look at the files. */
  async peek(session_id: string): Promise<SessionLog | undefined> {
    return this.#entries.get(session_id)?.log;
  }

  /** Gives the session free for another writer. Waits for what is under way. */
  async release(session_id: string): Promise<void> {
    const entry = this.#entries.get(session_id);
    if (entry) this.#forget(session_id, entry);
    await this.#closing.get(session_id);
  }

  async close(): Promise<void> {
    for (const [session_id, entry] of this.#entries) this.#forget(session_id, entry);
    await Promise.all(this.#closing.values());
  }

  #entry(session_id: string): Entry {
    const known = this.#entries.get(session_id);
    if (known) return known;
    const entry: Entry = {
      log: this.#store.open(session_id),
      users: 0,
      whenUnused: [],
      cancelIdle: undefined,
    };
    this.#entries.set(session_id, entry);
    entry.log.catch(() => this.#entries.delete(session_id));
    this.#shrink();
    return entry;
  }

  #idle(session_id: string, entry: Entry): void {
    if (entry.users > 0 || this.#entries.get(session_id) !== entry) return;
    entry.cancelIdle?.();
    entry.cancelIdle = this.#clock.after(LOG_IDLE_MS, () => this.#forget(session_id, entry));
  }

  #shrink(): void {
    for (const [session_id, entry] of this.#entries) {
      if (this.#entries.size <= MAX_OPEN_LOGS) return;
      if (entry.users === 0) this.#forget(session_id, entry);
    }
  }

  #forget(session_id: string, entry: Entry): void {
    entry.cancelIdle?.();
    if (this.#entries.get(session_id) === entry) this.#entries.delete(session_id);
    const unused =
      entry.users === 0 ? Promise.resolve() : new Promise<void>((resolve) => entry.whenUnused.push(resolve));
    const closed = unused
      .then(async () => (await entry.log).close())
      .catch(() => undefined)
      .finally(() => {
        if (this.#closing.get(session_id) === closed) this.#closing.delete(session_id);
      });
    this.#closing.set(session_id, closed);
  }
}
