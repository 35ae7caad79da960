import {
  type Clock,
  isoTime,
  type Liveness,
  LiveText,
  type LoopHealth,
  quietClock,
  type Report,
  systemClock,
  systemLiveness,
  ulidSource,
} from '@amplifier/core';
import type { Database } from '../database/database.js';
import { recordClock } from '../database/presence.js';
import { LEASE_MS } from '../defaults.js';
import type { RecordSource } from '../number-records.js';
import { RecordLog } from '../record-log.js';
import { OwnProcess } from './own-process.js';
import { type Creation, type OwnedSession, SessionWriter } from './session-writer.js';
import type { PlanText } from './write-records.js';

export interface SqlSessionStoreOptions {
  /** Whose sessions these are, by the slug of the project. Default: nobody's in particular. */
  project?: string | null;
  /** What the place is called where folders of this process are. Default: the host, where several share the database. */
  place?: string | null;
  clock?: Clock;
  /** Who this store writes for, and who else is alive. */
  liveness?: Liveness;
  /** How long this process stays the owner of its sessions without a sign of life. */
  leaseMs?: number;
  /** The time that leases are measured in. */
  leaseClock?: Clock;
  /** Told of what does not stop anything. */
  report?: Report | undefined;
}

/** Keeps something beside the record in step with it. Must not throw. */
export interface RecordFollower {
  readonly health: LoopHealth;
  /** Something of the session has changed. */
  touch(session_id: string): void;
  /** The session is gone. */
  remove(project: string | null, session_id: string): Promise<void>;
  /** Brings all up to date. */
  write(): Promise<void>;
  /** The record can still be read until this resolves. */
  close(): Promise<void>;
}

/** What the parts of a store share. */
export class StoreContext {
  readonly database: Database;
  readonly project: string | null;
  readonly place: string | null;
  readonly clock: Clock;
  readonly liveness: Liveness;
  readonly source: RecordSource;
  readonly process: OwnProcess;
  readonly logs = new Set<RecordLog>();
  /** What is known to be stored of what many sessions share. */
  readonly plans = new WeakSet<PlanText>();
  follower: RecordFollower | undefined;
  /** What sessions of this store are saying. */
  readonly live = new LiveText(() => `msg_${this.source.ulid()}`);

  constructor(database: Database, options: SqlSessionStoreOptions) {
    const { liveness = systemLiveness, report = () => {} } = options;
    this.database = database;
    this.project = options.project ?? null;
    this.place = options.place ?? (database.presence ? liveness.self.host : null);
    this.clock = recordClock(database, options.clock ?? systemClock);
    this.liveness = liveness;
    this.source = { time: () => isoTime(this.clock), ulid: ulidSource(this.clock) };
    this.process = new OwnProcess(database, {
      liveness,
      clock: recordClock(database, options.leaseClock ?? quietClock),
      leaseMs: options.leaseMs ?? LEASE_MS,
      report,
    });
  }

  /** The log of a session that this process has become the owner of. */
  own(session: OwnedSession, creation: Creation | null = null): RecordLog {
    if (!creation) this.process.registered();
    if (session.tenant !== '') session.metadata.tenant = session.tenant;
    const { session_id } = session.metadata;
    const { database, source, live } = this;
    const onWritten = () => this.follower?.touch(session_id);
    const onUnfreed = () => this.process.unfreed(session);
    const writer = new SessionWriter(database, session, source.time, { onWritten, onUnfreed }, creation);
    const onClosed = () => {
      this.logs.delete(log);
      this.follower?.touch(session_id);
    };
    const log = new RecordLog({ source, live, news: database, onClosed }, writer);
    this.logs.add(log);
    this.follower?.touch(session_id);
    return log;
  }
}
