import { randomUUID } from 'node:crypto';
import {
  type Clock,
  everySoOften,
  type Liveness,
  type LoopHealth,
  type ProcessIdentity,
  type Report,
  SupervisedLoop,
} from '@amplifier/core';
import { type Database, get, run, type Work } from '../database/database.js';
import { isDead, ownIdentity } from '../database/presence.js';
import { LEASE_MS, LEASE_RENEWALS } from '../defaults.js';
import type { SessionRow } from './session-row.js';

export interface OwnProcessOptions {
  liveness: Liveness;
  /** The time that leases are measured in. */
  clock: Clock;
  leaseMs?: number;
  /** What the loop that renews it is called, and who is told when it cannot. */
  name?: string;
  report?: Report;
}

/**
 * This process as an owner of sessions: a lease that it renews while it owns any. Whoever can prove that it is dead takes
 * its sessions over at once, anybody else when the lease has run out.
 */
export class OwnProcess {
  readonly id = randomUUID();
  readonly #database: Database;
  readonly #options: OwnProcessOptions & { leaseMs: number };
  readonly #loop: SupervisedLoop<string>;
  /** Sessions whose log is closed and that could not be given back, as on a full disk. */
  readonly #unfreed = new Map<number, number>();
  #isRegistered = false;
  #renewal: AbortController | undefined;

  constructor(database: Database, options: OwnProcessOptions) {
    this.#database = database;
    const { clock, leaseMs = LEASE_MS, name = 'session leases', report = () => {} } = options;
    this.#options = { ...options, leaseMs };
    this.#loop = new SupervisedLoop<string>({
      name,
      clock,
      report,
      items: (signal) => everySoOften(clock, leaseMs / LEASE_RENEWALS, () => [this.id], signal),
      // A lease that ran out before the next renewal is somebody else's to take, and the epoch tells.
      serve: () => this.#renew(),
      nameOf: () => 'the renewal of the lease',
    });
  }

  get health(): LoopHealth {
    return this.#loop.health;
  }

  /** Part of every transaction that makes this process the owner of a session. */
  *register(): Work<void> {
    if (this.#isRegistered) return;
    const { liveness, leaseMs, clock } = this.#options;
    yield* run(
      `INSERT INTO processes (id, identity, lease_until) VALUES (?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until`,
      this.id,
      JSON.stringify(ownIdentity(this.#database, liveness)),
      clock.now() + leaseMs,
    );
  }

  /** The registration is committed. */
  registered(): void {
    this.#isRegistered = true;
    if (this.#renewal) return;
    this.#renewal = new AbortController();
    void this.#loop.run(this.#renewal.signal);
  }

  /** Another process by its id; null when it is dead or silent. */
  *find(id: string): Work<{ id: string; identity: ProcessIdentity; until: number } | null> {
    const { liveness, clock } = this.#options;
    const sql = 'SELECT identity, lease_until AS until FROM processes WHERE id = ?';
    const row = yield* get<{ identity: string; until: number }>(sql, id);
    if (!row || row.until <= clock.now()) return null;
    const identity = JSON.parse(row.identity) as ProcessIdentity;
    return (yield* isDead(this.#database, liveness, identity)) ? null : { id, identity, until: row.until };
  }

  /** Who owns the session now; null when nobody does, or when the one who did is dead or silent. */
  *ownerOf({ n, epoch, owner }: Pick<SessionRow, 'n' | 'epoch' | 'owner'>): Work<ProcessIdentity | null> {
    if (owner === null) return null;
    if (owner === this.id && this.#unfreed.get(n) === epoch) return null;
    if (owner === this.id) return this.#options.liveness.self;
    return (yield* this.find(owner))?.identity ?? null;
  }

  /** A session could not be given back: this process may take it again, and gives it back with its next renewal. */
  unfreed({ n, epoch }: Pick<SessionRow, 'n' | 'epoch'>): void {
    this.#unfreed.set(n, epoch);
  }

  /** Gives everything back. */
  async leave(): Promise<void> {
    if (!this.#renewal) return;
    this.#renewal.abort();
    this.#renewal = undefined;
    await Promise.all(this.#loop.working);
    this.#isRegistered = false;
    const { id } = this;
    await this.#database.write(function* () {
      yield* run('UPDATE sessions SET owner = NULL WHERE owner = ?', id);
      yield* run('DELETE FROM processes WHERE id = ?', id);
    });
  }

  async #renew(): Promise<void> {
    this.#isRegistered = false;
    await this.#database.write(() => this.register(), { durability: 'process' });
    if (this.#renewal) this.#isRegistered = true;
    const { id } = this;
    for (const [n, epoch] of this.#unfreed) {
      const free = 'UPDATE sessions SET owner = NULL WHERE n = ? AND epoch = ? AND owner = ?';
      await this.#database.write(() => run(free, n, epoch, id), { durability: 'process' });
      if (this.#unfreed.get(n) === epoch) this.#unfreed.delete(n);
    }
  }
}
