import type { Clock } from '@amplifier/core';
import { type Database, get, run, type Work } from '../database/database.js';
import type { Liveness, ProcessIdentity } from '../process-identity.js';
import type { SessionRow } from './session-row.js';

/** Does not keep a process alive that has nothing else to do. */
export const quietClock: Clock = {
  now: () => Date.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms).unref();
    return () => clearTimeout(timer);
  },
};

interface ProcessRow {
  identity: string;
  lease_until: number;
}

export interface OwnProcessOptions {
  id: string;
  liveness: Liveness;
  /** The time that leases are measured in. */
  clock: Clock;
  leaseMs: number;
}

/**
 * This process as an owner of sessions: a lease that it renews while it owns any. Whoever can prove that it is dead takes
 * its sessions over at once, anybody else when the lease has run out.
 */
export class OwnProcess {
  readonly id: string;
  readonly #database: Database;
  readonly #options: OwnProcessOptions;
  #isRegistered = false;
  #renewal: (() => void) | undefined;

  constructor(database: Database, options: OwnProcessOptions) {
    this.id = options.id;
    this.#database = database;
    this.#options = options;
  }

  /** Part of every transaction that makes this process the owner of a session. */
  *register(): Work<void> {
    if (this.#isRegistered) return;
    const { liveness, leaseMs, clock } = this.#options;
    yield* run(
      `INSERT INTO processes (id, identity, lease_until) VALUES (?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until`,
      this.id,
      JSON.stringify(liveness.self),
      clock.now() + leaseMs,
    );
  }

  /** The registration is committed. */
  registered(): void {
    this.#isRegistered = true;
    this.#renewal ??= this.#renewLater();
  }

  /** Who owns the session now; null when nobody does, or when the one who did is dead or silent. */
  *ownerOf({ owner }: Pick<SessionRow, 'owner'>): Work<ProcessIdentity | null> {
    if (owner === null) return null;
    const { liveness, clock } = this.#options;
    if (owner === this.id) return liveness.self;
    const row = yield* get<ProcessRow>('SELECT identity, lease_until FROM processes WHERE id = ?', owner);
    if (!row || row.lease_until <= clock.now()) return null;
    const identity = JSON.parse(row.identity) as ProcessIdentity;
    return liveness.isAlive(identity) ? identity : null;
  }

  /** Gives everything back. */
  async leave(): Promise<void> {
    this.#renewal?.();
    this.#renewal = undefined;
    if (!this.#isRegistered) return;
    this.#isRegistered = false;
    const { id } = this;
    await this.#database.write(function* () {
      yield* run('UPDATE sessions SET owner = NULL WHERE owner = ?', id);
      yield* run('DELETE FROM processes WHERE id = ?', id);
    });
  }

  #renewLater(): () => void {
    const { clock, leaseMs } = this.#options;
    return clock.after(leaseMs / 3, () => {
      this.#renewal = this.#renewLater();
      this.#isRegistered = false;
      this.#database
        .write(() => this.register())
        .then(
          () => this.registered(),
          // The next renewal tries again; a lease that ran out meanwhile is somebody else's to take, and the epoch tells.
          () => {},
        );
    });
  }
}

/** Forgets processes that are gone and own nothing. */
export function* forgetProcesses(now: number): Work<void> {
  yield* run(
    `DELETE FROM processes WHERE lease_until <= ? AND id NOT IN (SELECT owner FROM sessions WHERE owner IS NOT NULL)
      AND id NOT IN (SELECT value FROM facts)`,
    now,
  );
}

/** For messages: who has it. */
export function describe({ pid, host }: ProcessIdentity, self: ProcessIdentity): string {
  return pid === self.pid && host === self.host ? 'this process' : `process ${pid} on ${host}`;
}
