import { randomUUID } from 'node:crypto';
import { type Clock, type Report, systemClock } from '@amplifier/core';
import type { CopyLayout } from '../copies/copy-layout.js';
import { ReadableCopies } from '../copies/readable-copies.js';
import type { Database } from '../database/database.js';
import { quietClock, recordClock } from '../database/presence.js';
import { LEASE_MS } from '../defaults.js';
import { LiveText } from '../live/live-text.js';
import { type RecordSource, timeSource } from '../number-records.js';
import { type Liveness, systemLiveness } from '../process-identity.js';
import { type RandomBytes, systemRandom, ulidSource } from '../session-ids.js';
import { OwnProcess } from './own-process.js';
import { type OwnedSession, SqlSessionLog } from './sql-session-log.js';

export interface SqlSessionStoreOptions {
  /** Whose sessions these are, by the slug of the project. Default: nobody's in particular. */
  project?: string | null;
  /** What the place is called where folders of this process are. Default: the host, where several share the database. */
  place?: string | null;
  clock?: Clock;
  random?: RandomBytes;
  /** Who this store writes for, and who else is alive. */
  liveness?: Liveness;
  /** How long this process stays the owner of its sessions without a sign of life. */
  leaseMs?: number;
  /** The time that leases are measured in. */
  leaseClock?: Clock;
  /** Where sessions are also written as files for people to read. Default: nowhere. */
  copies?: CopyLayout | null;
  /** A folder with sessions of other programs, or of this one before it had a record: they are taken in when the store is opened. */
  adoptFrom?: string;
  /** Told of what does not stop anything. */
  report?: Report;
}

/** What the parts of a store share. */
export class StoreContext {
  readonly database: Database;
  readonly project: string | null;
  readonly place: string | null;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly liveness: Liveness;
  readonly source: RecordSource;
  readonly process: OwnProcess;
  readonly logs = new Set<SqlSessionLog>();
  readonly copies: ReadableCopies | null;
  /** What sessions of this store are saying. */
  readonly live: LiveText;

  constructor(database: Database, options: SqlSessionStoreOptions) {
    const { random = systemRandom, liveness = systemLiveness, report = () => {} } = options;
    this.database = database;
    this.project = options.project ?? null;
    this.place = options.place ?? (database.presence ? liveness.self.host : null);
    const clock = recordClock(database, options.clock ?? systemClock);
    this.clock = clock;
    this.random = random;
    this.liveness = liveness;
    this.source = { time: timeSource(clock), ulid: ulidSource(clock, random) };
    this.live = new LiveText(() => `msg_${this.source.ulid()}`);
    this.process = new OwnProcess(database, {
      id: randomUUID(),
      liveness,
      clock: recordClock(database, options.leaseClock ?? quietClock),
      leaseMs: options.leaseMs ?? LEASE_MS,
      report,
    });
    const { copies } = options;
    this.copies = copies && !copies.isOff ? new ReadableCopies(database, copies, report) : null;
    this.copies?.makeGood(this.process);
  }

  /** The log of a session that this process has become the owner of. */
  own(session: OwnedSession): SqlSessionLog {
    this.process.registered();
    const { session_id } = session.metadata;
    const log = new SqlSessionLog(this.database, session, this.source, {
      live: this.live,
      onWritten: () => this.copies?.touch(session_id),
      onClosed: () => {
        this.logs.delete(log);
        this.copies?.touchNow(session_id);
      },
    });
    this.logs.add(log);
    this.copies?.touch(session_id);
    return log;
  }
}
