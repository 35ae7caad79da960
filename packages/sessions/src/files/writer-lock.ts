import { linkSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, isoTime } from '@amplifier/core';
import type { Liveness, ProcessIdentity } from '../process-identity.js';
import { fenced } from '../refusals.js';
import { SessionError } from '../session-error.js';
import { newSpan } from '../session-ids.js';
import type { OwnerNote } from './owner-note.js';
import { errnoOf, isMissing, storageError } from './storage-error.js';
import { writeFresh } from './write-atomic.js';

export interface LockRecord {
  process: ProcessIdentity;
  since: string;
  lease: number | null;
}

export interface LockOptions {
  liveness: Liveness;
  clock: Clock;
  lease?: number | undefined;
  /** What says who holds a lock that has no lease. Without one each lock is a file of its own. */
  note?: OwnerNote;
}

interface Standing {
  epoch: number;
  held: boolean;
}

const NAME = /^\.(lock|free)\.(\d+)$/;

/**
 * The right to write in a folder, as files `.lock.<n>`. The highest number counts; it is never removed, only followed
 * by a higher one or renamed to `.free.<n>` when it is given back. Taking a lock is making the next number, which the
 * file system lets one process do. So no two can take over from the same dead owner, and nobody deletes another's lock.
 */
export class WriterLock {
  readonly epoch: number;
  readonly lease: number | undefined;
  /** How the lock was found: whose it was, and whether that owner had given it back. */
  readonly before: { record: LockRecord | null; clean: boolean; wasAlive: boolean };
  readonly #folder: string;

  private constructor(
    folder: string,
    epoch: number,
    lease: number | undefined,
    before: WriterLock['before'],
  ) {
    this.#folder = folder;
    this.epoch = epoch;
    this.lease = lease;
    this.before = before;
  }

  /** The lock of a folder that nobody else knows yet. */
  static birth(folder: string, path: string, options: LockOptions): WriterLock {
    const lock = join(folder, '.lock.1');
    if (options.note) options.note.linkTo(lock);
    else writeFresh(lock, JSON.stringify(lockRecord(options)));
    return new WriterLock(path, 1, undefined, { record: null, clean: true, wasAlive: false });
  }

  static acquire(folder: string, what: string, options: LockOptions): WriterLock {
    const { note, lease } = options;
    try {
      if (note && lease === undefined)
        return WriterLock.#take(folder, what, options, (path) => note.linkTo(path));
      const draft = join(folder, `.draft.${newSpan()}`);
      writeFresh(draft, JSON.stringify(lockRecord(options)));
      try {
        return WriterLock.#take(folder, what, options, (path) => linkSync(draft, path));
      } finally {
        rmSync(draft, { force: true });
      }
    } catch (error) {
      throw storageError(error, 'lock', folder);
    }
  }

  static #take(folder: string, what: string, options: LockOptions, link: (path: string) => void): WriterLock {
    for (;;) {
      const lock = attempt(folder, what, link, options);
      if (lock) return new WriterLock(folder, lock.epoch, options.lease, lock.before);
    }
  }

  /** Who holds the folder now: null when it is free or its owner is dead. */
  static holder(folder: string, liveness: Liveness): LockRecord | null {
    const top = standing(folder);
    if (!top.held) return null;
    const record = readRecord(folder, top);
    return record && liveness.isAlive(record.process) ? record : null;
  }

  /** Did the last who held the folder die with it? */
  static isLeft(folder: string, liveness: Liveness): boolean {
    try {
      return standing(folder).held && WriterLock.holder(folder, liveness) === null;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }

  isCurrent(): boolean {
    const top = standing(this.#folder);
    return top.held && top.epoch === this.epoch;
  }

  release(): void {
    try {
      renameSync(this.#path('lock'), this.#path('free'));
    } catch (error) {
      // A newer owner has swept it away, or the folder went to the trash.
      if (!isMissing(error)) throw error;
    }
  }

  #path(kind: 'lock' | 'free'): string {
    return join(this.#folder, `.${kind}.${this.epoch}`);
  }
}

function attempt(
  folder: string,
  what: string,
  link: (path: string) => void,
  { liveness, lease }: LockOptions,
): { epoch: number; before: WriterLock['before'] } | null {
  const top = standing(folder);
  const record = top.epoch === 0 ? null : readRecord(folder, top);
  if (record && lease !== undefined && record.lease !== null && record.lease > lease) throw fenced(what);
  const wasAlive = top.held && record !== null && liveness.isAlive(record.process);
  if (wasAlive && !(lease !== undefined && record.lease !== null && record.lease < lease)) {
    throw locked(what, record, liveness);
  }
  const epoch = top.epoch + 1;
  const path = join(folder, `.lock.${epoch}`);
  try {
    link(path);
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return null;
    throw error;
  }
  // This process may have slept since it looked, while others took and gave back higher numbers.
  const others = entries(folder).filter((entry) => entry.name !== `.lock.${epoch}`);
  if (others.some((entry) => entry.epoch >= epoch)) {
    rmSync(path, { force: true });
    return null;
  }
  for (const { name } of others) rmSync(join(folder, name), { force: true });
  return { epoch, before: { record, clean: !top.held, wasAlive } };
}

function entries(folder: string): { name: string; epoch: number; held: boolean }[] {
  const found = [];
  for (const name of readdirSync(folder)) {
    const match = NAME.exec(name);
    if (match) found.push({ name, epoch: Number(match[2]), held: match[1] === 'lock' });
  }
  return found;
}

function standing(folder: string): Standing {
  let top: Standing = { epoch: 0, held: false };
  for (const entry of entries(folder)) {
    if (entry.epoch > top.epoch || (entry.epoch === top.epoch && !entry.held)) top = entry;
  }
  return top;
}

/** Null when the owner's note is unreadable, as after a power cut: such an owner is as dead as its machine was. */
function readRecord(folder: string, { epoch, held }: Standing): LockRecord | null {
  try {
    return JSON.parse(readFileSync(join(folder, `.${held ? 'lock' : 'free'}.${epoch}`), 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError || isMissing(error)) return null;
    throw error;
  }
}

export function lockRecord({ liveness, clock, lease }: LockOptions): LockRecord {
  return { process: liveness.self, since: isoTime(clock), lease: lease ?? null };
}

function locked(what: string, { process: owner, since }: LockRecord, { self }: Liveness): SessionError {
  const who =
    owner.pid === self.pid && owner.start === self.start ? 'this very process' : `process ${owner.pid}`;
  return new SessionError(
    `${what} is being written by ${who} on ${owner.host} since ${since}. Wait for it, or end that process; its lock then falls at once.`,
    { code: 'SESSION_LOCKED', origin: what, retryable: true },
  );
}
