import {
  type Clock,
  isJudgeable,
  type Liveness,
  type LoopHealth,
  type ProcessIdentity,
  quietClock,
  sleep,
  systemClock,
  systemLiveness,
} from '@amplifier/core';
import { type Database, run } from '../database/database.js';
import { recordClock } from '../database/presence.js';
import { LEASE_CHECK_MS } from '../defaults.js';
import { recordExists, shareDatabase } from '../open-record.js';
import { describeProcess } from '../refusals.js';
import { SessionError } from '../session-error.js';
import { noteOf, putNote } from './notes.js';
import { OwnProcess } from './own-process.js';

interface LeaseOptions {
  liveness?: Liveness;
  clock?: Clock;
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
export async function takeLease(
  file: string,
  name: string,
  { liveness = systemLiveness, clock }: LeaseOptions = {},
): Promise<NamedLease> {
  const { database, release } = await shareDatabase(file);
  const process = processOf(database, name, liveness, clock);
  const note = noteName(name);
  const attempt = () =>
    database.write(function* () {
      const before = yield* noteOf(note);
      const holder = before === null ? null : yield* process.find(before);
      if (!holder) {
        yield* process.register();
        yield* putNote(note, process.id);
      }
      return { holder, wasLeft: before !== null };
    });
  const giveBack = async () => {
    await database.write(() => run('DELETE FROM facts WHERE name = ? AND value = ?', note, process.id));
    await process.leave();
  };
  try {
    const first = await attempt();
    let last = first;
    while (last.holder) {
      const { id, until, identity } = last.holder;
      const isSilent = id === first.holder?.id && until === first.holder.until;
      // Where the record itself can tell who is there, it has told.
      const isKnown = database.presence !== undefined || isJudgeable(identity, liveness.self);
      if (!isSilent || isKnown) throw held(name, describeProcess(identity, liveness.self));
      await sleep(clock ?? systemClock, LEASE_CHECK_MS);
      last = await attempt();
    }
    process.registered();
    return {
      wasLeft: last.wasLeft,
      isHeld: async () => (await database.read(() => noteOf(note))) === process.id,
      health: () => process.health,
      release: () => giveBack().finally(release),
    };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Who has that right; null when nobody does, or there is no such record. */
export async function leaseHolder(file: string, name: string): Promise<ProcessIdentity | null> {
  if (!recordExists(file)) return null;
  const { database, release } = await shareDatabase(file);
  try {
    const process = processOf(database, name, systemLiveness);
    const holder = await database.read(function* () {
      const id = yield* noteOf(noteName(name));
      return id === null ? null : yield* process.find(id);
    });
    return holder?.identity ?? null;
  } finally {
    await release();
  }
}

function processOf(
  database: Database,
  name: string,
  liveness: Liveness,
  clock: Clock = quietClock,
): OwnProcess {
  const own = { liveness, clock: recordClock(database, clock) };
  return new OwnProcess(database, { ...own, name: `lease of the ${name}` });
}

function noteName(name: string): string {
  return `lease ${name}`;
}

function held(name: string, holder: string): SessionError {
  const message = `${holder} is the ${name} of this record. Stop it first.`;
  return new SessionError(message, { code: 'SESSION_LOCKED', origin: name, retryable: true });
}
