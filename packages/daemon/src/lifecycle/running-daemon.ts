import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  AmplifierError,
  type Clock,
  isJudgeable,
  isoTime,
  type LoopHealth,
  systemLiveness,
} from '@amplifier/core';
import { hasCode } from '@amplifier/sessions';
import { leaseHolder, type NamedLease, takeLease } from '@amplifier/sessions/record';
import { writeFileAtomic } from '../atomic-file.js';
import type { DaemonHome } from '../config.js';

/** What a running daemon writes down for `status`, `stop` and `sync`. */
export interface RunningDaemon {
  pid: number;
  url: string;
  started_at: string;
}

/** A daemon that was found. */
export interface FoundDaemon extends RunningDaemon {
  /** Its process number means something here: not that of another container or machine that uses the same home. */
  isHere: boolean;
}

const FILE = 'daemon.json';

/** The right to be the daemon of a home. A dead process cannot keep it. */
export class DaemonLock {
  /** The daemon before this one did not get to say goodbye. */
  readonly afterCrash: boolean;
  readonly #lease: NamedLease;
  readonly #state: string;

  private constructor(lease: NamedLease, state: string) {
    this.#lease = lease;
    this.#state = state;
    this.afterCrash = lease.wasLeft;
  }

  static async take({ state, home, record, lease, isUsers }: DaemonHome): Promise<DaemonLock> {
    try {
      return new DaemonLock(await takeLease(record, lease), state);
    } catch (error) {
      if (!hasCode(error, 'SESSION_LOCKED')) throw error;
      const holder = await leaseHolder(record, lease);
      throw new AmplifierError(
        `A daemon is already running for ${home}: process ${holder?.pid ?? 'unknown'}. Stop it with \`${isUsers ? 'amplifier serve stop' : 'amplifierd stop'}\`, or use another ${isUsers ? 'AMPLIFIER_HOME' : 'AMPLIFIERD_HOME'}.`,
        { code: 'DAEMON_RUNNING', origin: home, cause: error },
      );
    }
  }

  /** How the renewal of that right is. */
  get health(): LoopHealth {
    return this.#lease.health();
  }

  async announce(url: string, clock: Clock): Promise<void> {
    const running: RunningDaemon = { pid: process.pid, url, started_at: isoTime(clock) };
    await writeFileAtomic(join(this.#state, FILE), `${JSON.stringify(running)}\n`);
  }

  async leave(): Promise<void> {
    await rm(join(this.#state, FILE), { force: true });
    await this.#lease.release();
  }
}

/** The daemon of a home, or null when none lives. */
export async function findRunning({ state, record, lease }: DaemonHome): Promise<FoundDaemon | null> {
  try {
    const holder = await leaseHolder(record, lease);
    if (!holder) return null;
    const running = JSON.parse(await readFile(join(state, FILE), 'utf8')) as RunningDaemon;
    const isHere = isJudgeable(holder, systemLiveness.self);
    return running.pid === holder.pid ? { ...running, isHere } : null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || hasCode(error, 'STORAGE_FAILED')) return null;
    throw error;
  }
}
