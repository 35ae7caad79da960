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
import { type Database, run } from '../database/database.js';
import { recordClock } from '../database/presence.js';
import { LEASE_CHECK_MS, LEASE_MS } from '../defaults.js';
import { SessionError } from '../session-error.js';
import { noteOf, putNote } from './notes.js';
import { describe, findProcess, type Holder, OwnProcess } from './own-process.js';

export interface NamedLeaseOptions {
  liveness: Liveness;
  clock?: Clock;
  leaseMs?: number;
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
  const note = noteName(name);
  for (let first: Holder | null = null; ; ) {
    const { holder, wasLeft } = await database.write(function* () {
      const before = yield* noteOf(note);
      const holder = before === null ? null : yield* findProcess(database, own, before);
      if (!holder) {
        yield* process.register();
        yield* putNote(note, process.id);
      }
      return { holder, wasLeft: before !== null };
    });
    if (!holder) {
      process.registered();
      return {
        wasLeft,
        isHeld: async () => (await database.read(() => noteOf(note))) === process.id,
        health: () => process.health,
        release: () => release(database, process, note),
      };
    }
    const isSilent = first === null || (holder.id === first.id && holder.until === first.until);
    first ??= holder;
    // Where the record itself can tell who is there, it has told.
    const isKnown = database.presence !== undefined || isJudgeable(holder.identity, liveness.self);
    if (!isSilent || isKnown) throw held(name, holder, liveness);
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
    const id = yield* noteOf(noteName(name));
    const holder = id === null ? null : yield* findProcess(database, { liveness, clock }, id);
    return holder?.identity ?? null;
  });
}

async function release(database: Database, process: OwnProcess, note: string): Promise<void> {
  await database.write(() => run('DELETE FROM facts WHERE name = ? AND value = ?', note, process.id));
  await process.leave();
}

function noteName(name: string): string {
  return `lease ${name}`;
}

function held(name: string, { identity }: Holder, { self }: Liveness): SessionError {
  return new SessionError(`${describe(identity, self)} is the ${name} of this record. Stop it first.`, {
    code: 'SESSION_LOCKED',
    origin: name,
    retryable: true,
  });
}
