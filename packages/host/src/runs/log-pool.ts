import { type Clock, sleep } from '@amplifier/core';
import {
  hasCode,
  type OpenOptions,
  SessionError,
  type SessionLog,
  type SessionLogs,
  type SessionStore,
} from '@amplifier/sessions';
import { projectSlug } from '@amplifier/sessions/record';
import {
  LOCK_CHECK_MS,
  LOG_IDLE_MS,
  MAX_OPEN_LOGS,
  REQUEST_PATIENCE_MS,
  TURN_PATIENCE_MS,
} from '../defaults.js';

const BREAKS_LOG = [
  'LOG_BROKEN',
  'FENCED',
  'STORAGE_FULL',
  'STORAGE_DENIED',
  'STORAGE_FAILED',
  'SESSION_CORRUPT',
] as const;

interface Entry {
  log: Promise<SessionLog>;
  users: number;
  /** How many of the users are requests that no turn may run beside. */
  requests: number;
  /** A turn writes the session now. */
  isHeld: boolean;
  /** Called when any of these has changed. */
  waiting: (() => void)[];
  cancelIdle: (() => void) | undefined;
}

/**
 * The logs this process writes to. Opening one claims the session in the record and closing it gives it free again, which makes an
 * append three times as expensive ("append a message" of the bench `daemon`): so each stays open for a moment after its last use, and
 * requests share it with the turn that runs. Whoever else wants to write or delete a session must `release` it.
 */
export class LogPool {
  readonly #store: SessionStore;
  readonly #clock: Clock;
  readonly #idleMs: number;
  readonly #entries = new Map<string, Entry>();
  readonly #closing = new Map<string, Promise<void>>();
  #isRevoked = false;

  /** With `idleMs` of 0 a session is free for other processes as soon as nobody here uses it. */
  constructor(store: SessionStore, clock: Clock, idleMs: number = LOG_IDLE_MS) {
    this.#store = store;
    this.#clock = clock;
    this.#idleMs = idleMs;
  }

  /** Runs `work` with the session's log, unless a turn is running. Many may do so at once; the log keeps their order. */
  async use<T>(session_id: string, work: (log: SessionLog) => Promise<T>): Promise<T> {
    return this.share(session_id, async (log) => {
      const entry = this.#entries.get(session_id);
      if (!entry) return work(log);
      if (entry.isHeld) throw locked(session_id);
      entry.requests++;
      try {
        return await work(log);
      } finally {
        entry.requests--;
        changed(entry);
      }
    });
  }

  /** The same also while a turn runs, for what does not get in its way: facts and names, never messages or the status. */
  async share<T>(
    session_id: string,
    work: (log: SessionLog) => Promise<T>,
    patienceMs = REQUEST_PATIENCE_MS,
  ): Promise<T> {
    const entry = await this.#enter(session_id, {}, patienceMs);
    try {
      return await work(await entry.log);
    } catch (error) {
      // A log that could not write takes no more: the next use opens the session again.
      if (BREAKS_LOG.some((code) => hasCode(error, code))) this.#forget(session_id, entry);
      throw error;
    } finally {
      this.#leave(session_id, entry);
    }
  }

  /** The right to run a turn. Rejects with `SESSION_LOCKED` while another has it. Closing the log gives it back. */
  async hold(session_id: string, options: OpenOptions = {}): Promise<SessionLog> {
    if (this.#isRevoked) throw takenBack(session_id);
    if (this.isHeld(session_id)) throw locked(session_id);
    // A newer lease has to be shown to the store, which a log that is open already cannot do.
    if (options.lease !== undefined) await this.release(session_id);
    const entry = await this.#enter(session_id, options, TURN_PATIENCE_MS);
    if (entry.isHeld) {
      this.#leave(session_id, entry);
      throw locked(session_id);
    }
    entry.isHeld = true;
    try {
      const log = await entry.log;
      await until(entry, () => entry.requests === 0);
      return this.#handOut(entry, log);
    } catch (error) {
      entry.isHeld = false;
      this.#leave(session_id, entry);
      throw error;
    }
  }

  /** The logs of turns in a folder: what they create belongs to the project of that folder. Null: to none. */
  turnsIn(folder: string | null): SessionLogs {
    const owner = folder === null ? {} : { project: projectSlug(folder) };
    return {
      open: (session_id, options) => this.hold(session_id, options),
      create: async (session, ...contents) =>
        this.#adoptHeld(await this.#store.create({ ...owner, ...session }, ...contents)),
      fork: async (session_id, options) => this.#adoptHeld(await this.#store.fork(session_id, options)),
    };
  }

  /** Takes over a log that somebody has just opened. */
  adopt(log: SessionLog): void {
    this.#idle(log.session_id, this.#add(log.session_id, Promise.resolve(log)));
    this.#shrink();
  }

  /** The log when it is open, for a reader that wants the newest: what trails a commit is not in the record yet. */
  async peek(session_id: string): Promise<SessionLog | undefined> {
    return this.#entries.get(session_id)?.log;
  }

  /** Does a turn of this process run the session? */
  isHeld(session_id: string): boolean {
    return this.#entries.get(session_id)?.isHeld === true;
  }

  /** Resolves when no turn of this process runs the session. */
  async free(session_id: string): Promise<void> {
    for (let entry = this.#entries.get(session_id); entry?.isHeld; entry = this.#entries.get(session_id)) {
      const held = entry;
      await until(held, () => !held.isHeld);
    }
  }

  /** Gives the session free for another writer. Waits for requests under way; rejects while a turn runs. */
  async release(session_id: string): Promise<void> {
    const entry = this.#entries.get(session_id);
    if (entry?.isHeld) throw locked(session_id);
    if (entry) this.#forget(session_id, entry);
    await this.#closing.get(session_id);
  }

  /** Gives all sessions free that nobody writes. */
  async releaseUnused(): Promise<void> {
    for (const [session_id, entry] of this.#entries) if (entry.users === 0) this.#forget(session_id, entry);
    await Promise.all(this.#closing.values());
  }

  /** Revokes the logs of all turns and lets none begin: to the record it looks as if the process had died here. */
  async revokeTurns(): Promise<void> {
    this.#isRevoked = true;
    const held = [...this.#entries.values()].filter(({ isHeld }) => isHeld);
    const revoke = (log: SessionLog) => log.revoke(takenBack(log.session_id));
    await Promise.allSettled(held.map(({ log }) => log.then(revoke)));
  }

  async close(): Promise<void> {
    for (const [session_id, entry] of this.#entries) this.#forget(session_id, entry);
    await Promise.all(this.#closing.values());
  }

  async #enter(session_id: string, options: OpenOptions, patienceMs: number): Promise<Entry> {
    // Another one may be closing by the time the first has closed.
    for (let busy = this.#closing.get(session_id); busy; busy = this.#closing.get(session_id)) await busy;
    const entry =
      this.#entries.get(session_id) ?? this.#add(session_id, this.#open(session_id, options, patienceMs));
    entry.users++;
    entry.cancelIdle?.();
    entry.cancelIdle = undefined;
    this.#shrink();
    return entry;
  }

  /** Another process that shares the record may be writing a fact of its own, which takes a moment. */
  async #open(session_id: string, options: OpenOptions, patienceMs: number): Promise<SessionLog> {
    for (let waited = 0; ; waited += LOCK_CHECK_MS) {
      try {
        return await this.#store.open(session_id, options);
      } catch (error) {
        const isShared = this.#idleMs === 0 && hasCode(error, 'SESSION_LOCKED');
        if (!isShared || waited >= patienceMs) throw error;
        await sleep(this.#clock, LOCK_CHECK_MS);
      }
    }
  }

  #leave(session_id: string, entry: Entry): void {
    entry.users--;
    changed(entry);
    this.#idle(session_id, entry);
  }

  #adoptHeld(log: SessionLog): SessionLog {
    const entry = this.#add(log.session_id, Promise.resolve(log));
    entry.users++;
    entry.isHeld = true;
    return this.#handOut(entry, log);
  }

  /** The log of a turn, which shares the right to write with requests. */
  #handOut(entry: Entry, log: SessionLog): SessionLog {
    const { session_id } = log;
    const held = log.share(() => {
      entry.isHeld = false;
      // The next use opens the session again.
      if (log.revoked) this.#forget(session_id, entry);
      this.#leave(session_id, entry);
    });
    if (this.#isRevoked) held.revoke(takenBack(session_id));
    return held;
  }

  #add(session_id: string, log: Promise<SessionLog>): Entry {
    const entry: Entry = { log, users: 0, requests: 0, isHeld: false, waiting: [], cancelIdle: undefined };
    this.#entries.set(session_id, entry);
    entry.log.catch(() => {
      if (this.#entries.get(session_id) === entry) this.#entries.delete(session_id);
    });
    return entry;
  }

  #idle(session_id: string, entry: Entry): void {
    if (entry.users > 0 || this.#entries.get(session_id) !== entry) return;
    entry.cancelIdle?.();
    if (this.#idleMs === 0) this.#forget(session_id, entry);
    else entry.cancelIdle = this.#clock.after(this.#idleMs, () => this.#forget(session_id, entry));
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
    const closed = until(entry, () => entry.users === 0)
      .then(async () => (await entry.log).close())
      .catch(() => undefined)
      .finally(() => {
        if (this.#closing.get(session_id) === closed) this.#closing.delete(session_id);
      });
    this.#closing.set(session_id, closed);
  }
}

async function until(entry: Entry, isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise<void>((resolve) => entry.waiting.push(resolve));
}

function changed({ waiting }: Entry): void {
  for (const go of waiting.splice(0)) go();
}

function takenBack(session_id: string): SessionError {
  const message = `The daemon has taken session ${session_id} back; nothing more can be written by this run.`;
  return new SessionError(message, { code: 'LOG_CLOSED', origin: session_id });
}

function locked(session_id: string): SessionError {
  const message = `A run is writing session ${session_id}. Wait for it, or cancel it first.`;
  return new SessionError(message, { code: 'SESSION_LOCKED', origin: session_id });
}
