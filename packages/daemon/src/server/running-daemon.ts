import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AmplifierError, type Clock, isoTime } from '@amplifier/core';
import { hasCode, systemLiveness, WriterLock } from '@amplifier/sessions';
import { writeFileAtomic } from '../atomic-file.js';
import type { DaemonHome } from '../config.js';

/** What a running daemon writes down for `status`, `stop` and `sync`. */
export interface RunningDaemon {
  pid: number;
  url: string;
  started_at: string;
}

const FILE = 'daemon.json';

/** The right to be the daemon of a home. A dead process cannot keep it. */
export class DaemonSeat {
  /** The daemon before this one did not get to say goodbye. */
  readonly afterCrash: boolean;
  readonly #lock: WriterLock;
  readonly #state: string;

  private constructor(lock: WriterLock, state: string) {
    this.#lock = lock;
    this.#state = state;
    this.afterCrash = !lock.before.clean;
  }

  static async take({ state, home }: DaemonHome, clock: Clock): Promise<DaemonSeat> {
    try {
      return new DaemonSeat(
        await WriterLock.acquire(state, `The home ${home}`, { liveness: systemLiveness, clock }),
        state,
      );
    } catch (error) {
      if (!hasCode(error, 'SESSION_LOCKED')) throw error;
      const holder = await WriterLock.holder(state, systemLiveness);
      throw new AmplifierError(
        `A daemon is running for ${home} already: process ${holder?.process.pid ?? 'unknown'}. Stop it with \`amplifierd stop\`, or use another AMPLIFIERD_HOME.`,
        { code: 'DAEMON_RUNNING', origin: home, cause: error },
      );
    }
  }

  async announce(url: string, clock: Clock): Promise<void> {
    const running: RunningDaemon = { pid: process.pid, url, started_at: isoTime(clock) };
    await writeFileAtomic(join(this.#state, FILE), `${JSON.stringify(running)}\n`);
  }

  async leave(): Promise<void> {
    await rm(join(this.#state, FILE), { force: true });
    await this.#lock.release();
  }
}

/** The daemon of a home, or null when none lives. */
export async function findRunning({ state }: DaemonHome): Promise<RunningDaemon | null> {
  try {
    const holder = await WriterLock.holder(state, systemLiveness);
    if (!holder) return null;
    const running = JSON.parse(await readFile(join(state, FILE), 'utf8')) as RunningDaemon;
    return running.pid === holder.process.pid ? running : null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || hasCode(error, 'STORAGE_FAILED')) return null;
    throw error;
  }
}
