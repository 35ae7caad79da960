import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, everySoOften, type LoopHealth, type Report, SupervisedLoop } from '@amplifier/core';
import { ulidSource } from '@amplifier/sessions';
import { writeFileAtomic } from '../atomic-file.js';
import { DaemonError } from '../daemon-error.js';
import { FOLDER_MODE, IDEMPOTENCY_MS, IDEMPOTENCY_SWEEP_MS } from '../defaults.js';

/** What a handler knows of a request that must be carried out once. */
export interface Once {
  /** The same in every attempt: good as the id of what the request makes. */
  id: string;
  /** An attempt before this one ended without an answer. It may have done all of it, or nothing. */
  retried: boolean;
}

/** An answer as it was given, to be given again. */
export interface StoredAnswer {
  status: number;
  headers: Record<string, string>;
  json: string;
}

/** What is on disk under a key. */
interface Attempt {
  id: string;
  fingerprint: string;
  /** Null while the request is carried out, and for ever when the daemon died meanwhile. */
  answer: StoredAnswer | null;
}

export interface OnceRequest {
  /** Whose key it is, for which operation: keys of others are other keys. */
  owner: string;
  key: string;
  /** What is asked for. */
  content: string;
}

const KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * Answers to requests with an `Idempotency-Key`, on disk. The request is noted before it is carried out and the answer
 * before it is sent, so that a client that hears nothing can ask again, also after a crash.
 */
export class Idempotency {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #ulid: () => string;
  readonly #underWay = new Map<string, string>();
  readonly #stop = new AbortController();
  readonly #loop: SupervisedLoop<string>;

  private constructor(folder: string, clock: Clock, report: Report) {
    this.#folder = folder;
    this.#clock = clock;
    this.#ulid = ulidSource(clock);
    this.#loop = new SupervisedLoop<string>({
      name: 'idempotency keys',
      clock,
      report,
      items: (signal) => everySoOften(clock, IDEMPOTENCY_SWEEP_MS, () => [folder], signal),
      serve: () => this.#sweep(),
      nameOf: () => 'the removal of old keys',
    });
  }

  static async open(folder: string, clock: Clock, report: Report): Promise<Idempotency> {
    await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
    const idempotency = new Idempotency(folder, clock, report);
    await idempotency.#sweep();
    void idempotency.#loop.run(idempotency.#stop.signal);
    return idempotency;
  }

  get health(): LoopHealth {
    return this.#loop.health;
  }

  /** The answer of the first time, or that of `work` now. A refusal is not kept: nothing has been done. */
  async once(
    { owner, key, content }: OnceRequest,
    work: (once: Once) => Promise<StoredAnswer>,
  ): Promise<{ answer: StoredAnswer; replayed: boolean }> {
    if (!KEY.test(key)) {
      throw new DaemonError(
        'INVALID_IDEMPOTENCY_KEY',
        'An Idempotency-Key is 1 to 255 visible ASCII characters.',
      );
    }
    const name = sha256(`${owner}\n${key}`);
    const fingerprint = sha256(content);
    const other = this.#underWay.get(name);
    if (other !== undefined) throw other === fingerprint ? inFlight() : reused();
    this.#underWay.set(name, fingerprint);
    try {
      const known = await this.#read(name);
      if (known && known.fingerprint !== fingerprint) throw reused();
      if (known?.answer) return { answer: known.answer, replayed: true };
      const record = known ?? { id: this.#ulid(), fingerprint, answer: null };
      if (!known) await this.#write(name, record);
      const answer = await this.#attempt(name, () => work({ id: record.id, retried: known !== null }));
      await this.#write(name, { ...record, answer });
      return { answer, replayed: false };
    } finally {
      this.#underWay.delete(name);
    }
  }

  close(): void {
    this.#stop.abort();
  }

  async #attempt(name: string, work: () => Promise<StoredAnswer>): Promise<StoredAnswer> {
    try {
      return await work();
    } catch (error) {
      // After a failure of ours nobody knows how far it came; the next attempt is told so.
      if (error instanceof DaemonError && error.status < 500) await rm(this.#path(name), { force: true });
      throw error;
    }
  }

  async #read(name: string): Promise<Attempt | null> {
    try {
      const path = this.#path(name);
      const { mtimeMs } = await stat(path);
      if (mtimeMs < this.#clock.now() - IDEMPOTENCY_MS) return null;
      return JSON.parse(await readFile(path, 'utf8'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

  #write(name: string, record: Attempt): Promise<void> {
    return writeFileAtomic(this.#path(name), JSON.stringify(record));
  }

  #path(name: string): string {
    return join(this.#folder, `${name}.json`);
  }

  async #sweep(): Promise<void> {
    const oldest = this.#clock.now() - IDEMPOTENCY_MS;
    for (const name of await readdir(this.#folder)) {
      const path = join(this.#folder, name);
      const found = await stat(path).catch(() => null);
      if (found && found.mtimeMs < oldest) await rm(path, { force: true });
    }
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function inFlight(): DaemonError {
  return new DaemonError(
    'IDEMPOTENCY_IN_FLIGHT',
    'A request with this Idempotency-Key is being carried out. Ask again in a moment for its answer.',
  );
}

function reused(): DaemonError {
  return new DaemonError(
    'IDEMPOTENCY_KEY_REUSED',
    'This Idempotency-Key was used for another request. Take a new key for each request.',
  );
}
