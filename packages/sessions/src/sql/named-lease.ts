import { randomUUID } from 'node:crypto';
import {
  type Clock,
  isJudgeable,
  type Liveness,
  type LoopHealth,
  type ProcessIdentity,
  quietClock,
  sleep,
  systemClock,
} from '@amplifier/core';
import { type Database, get, run, type Work } from '../database/database.js';
import { isDead, recordClock } from '../database/presence.js';
import { LEASE_CHECK_MS, LEASE_MS } from '../defaults.js';
import { SessionError } from '../session-error.js';
import { noteOf, putNote } from './notes.js';
import { describe, OwnProcess } from './own-process.js';

export interface NamedLeaseOptions {
  liveness: Liveness;
  clock?: Clock;
  leaseMs?: number;
}

interface Holder {
  id: string;
  identity: ProcessIdentity;
  until: number;
}

/** The right to be the one process that does something on a record, such as serving it. Renewed while it is held. */
export interface NamedLease {
  /** Whoever held it before did not give it back. */
  wasLeft: boolean;
  /** Is it still held here? One that did not renew it in time may find that another has it. */
  isHeld(): Promise<boolean>;
  /** How its renewal is. */
  health(): LoopHealth;
  release(): Promise<void>;
}

/**
 * Rejects with `SESSION_LOCKED` while another process has it. One that cannot be judged from here, such as that of a
 * container that was killed, has it until its lease has run out: that is waited for, unless it shows a sign of life.
 */
export async function takeNamedLease(
  database: Database,
  name: string,
  options: NamedLeaseOptions,
): Promise<NamedLease> {
  const { liveness, leaseMs = LEASE_MS } = options;
  const clock = recordClock(database, options.clock ?? quietClock);
  const own = { id: randomUUID(), liveness, clock, leaseMs, name: `lease of the ${name}` };
  const process = new OwnProcess(database, own);
  for (let first: Holder | null = null; ; ) {
    const taken = await database.write(() => tryTake(database, process, name, { liveness, clock }));
    if (!('until' in taken)) {
      process.registered();
      return {
        ...taken,
        isHeld: async () => (await database.read(() => findHolder(name)))?.id === process.id,
        health: () => process.health,
        release: () => release(database, process, name),
      };
    }
    const isSilent = first === null || (taken.id === first.id && taken.until === first.until);
    first ??= taken;
    // Where the record itself can tell who is there, it has told.
    const isKnown = database.presence !== undefined || isJudgeable(taken.identity, liveness.self);
    if (!isSilent || isKnown) throw held(name, taken, liveness);
    await sleep(options.clock ?? systemClock, LEASE_CHECK_MS);
  }
}

/** Who has it now; null when nobody does. */
export function namedLeaseHolder(
  database: Database,
  name: string,
  liveness: Liveness,
): Promise<ProcessIdentity | null> {
  const clock = recordClock(database, quietClock);
  return database.read(function* () {
    const holder = yield* findHolder(name);
    return holder && (yield* isHeld(database, holder, { liveness, clock })) ? holder.identity : null;
  });
}

async function release(database: Database, process: OwnProcess, name: string): Promise<void> {
  const sql = 'DELETE FROM facts WHERE name = ? AND value = ?';
  await database.write(() => run(sql, factName(name), process.id));
  await process.leave();
}

interface Judge {
  liveness: Liveness;
  clock: Clock;
}

function* tryTake(
  database: Database,
  process: OwnProcess,
  name: string,
  judge: Judge,
): Work<Holder | { wasLeft: boolean }> {
  const holder = yield* findHolder(name);
  if (holder && (yield* isHeld(database, holder, judge))) return holder;
  const before = yield* noteOf(factName(name));
  yield* process.register();
  yield* putNote(factName(name), process.id);
  return { wasLeft: before !== null };
}

function* findHolder(name: string): Work<Holder | null> {
  const row = yield* get<{ id: string; identity: string; lease_until: number }>(
    'SELECT p.id, p.identity, p.lease_until FROM facts f JOIN processes p ON p.id = f.value WHERE f.name = ?',
    factName(name),
  );
  return row
    ? { id: row.id, identity: JSON.parse(row.identity) as ProcessIdentity, until: row.lease_until }
    : null;
}

function* isHeld(database: Database, { identity, until }: Holder, { liveness, clock }: Judge): Work<boolean> {
  return until > clock.now() && !(yield* isDead(database, liveness, identity));
}

function factName(name: string): string {
  return `lease ${name}`;
}

function held(name: string, { identity }: Holder, { self }: Liveness): SessionError {
  return new SessionError(`${describe(identity, self)} is the ${name} of this record. Stop it first.`, {
    code: 'SESSION_LOCKED',
    origin: name,
    retryable: true,
  });
}
