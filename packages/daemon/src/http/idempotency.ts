import { createHash } from 'node:crypto';
import {
  type Clock,
  everySoOften,
  type LoopHealth,
  type Report,
  SupervisedLoop,
  ulidSource,
} from '@amplifier/core';
import type { SqlShelf } from '@amplifier/sessions';
import { DaemonError } from '../daemon-error.js';
import { IDEMPOTENCY_HELD_MS, IDEMPOTENCY_MS, IDEMPOTENCY_SWEEP_MS } from '../defaults.js';

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

/** What is kept under a key. */
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

const KIND = 'idempotency key';

/**
 * Answers to requests with an `Idempotency-Key`, in the record. The request is noted before it is carried out and the answer
 * before it is sent, so that a client that hears nothing can ask again, also after a crash, and any daemon of the record.
 */
export class Idempotency {
  readonly #shelf: SqlShelf;
  readonly #clock: Clock;
  readonly #ulid: () => string;
  readonly #stop = new AbortController();
  readonly #loop: SupervisedLoop<SqlShelf>;

  constructor(shelf: SqlShelf, clock: Clock, report: Report) {
    this.#shelf = shelf;
    this.#clock = clock;
    this.#ulid = ulidSource(clock);
    this.#loop = new SupervisedLoop<SqlShelf>({
      name: 'idempotency keys',
      clock,
      report,
      items: (signal) => everySoOften(clock, IDEMPOTENCY_SWEEP_MS, () => [shelf], signal),
      serve: () => shelf.sweep(),
      nameOf: () => 'the removal of old keys',
    });
    void this.#loop.run(this.#stop.signal);
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
    const until = this.#clock.now() + IDEMPOTENCY_MS;
    const first: Attempt = { id: this.#ulid(), fingerprint, answer: null };
    const { state, body: record } = await this.#shelf.begin(KIND, name, first, {
      until,
      heldMs: IDEMPOTENCY_HELD_MS,
    });
    if (state === 'held') throw record.fingerprint === fingerprint ? inFlight() : reused();
    if (record.fingerprint !== fingerprint) {
      if (state === 'left') await this.#shelf.leave(KIND, name);
      throw reused();
    }
    if (record.answer) return { answer: record.answer, replayed: true };
    const answer = await this.#attempt(name, () => work({ id: record.id, retried: state === 'left' }));
    await this.#shelf.put(KIND, name, { ...record, answer }, until);
    return { answer, replayed: false };
  }

  close(): void {
    this.#stop.abort();
  }

  async #attempt(name: string, work: () => Promise<StoredAnswer>): Promise<StoredAnswer> {
    try {
      return await work();
    } catch (error) {
      // After a failure of ours nobody knows how far it came; the next attempt is told so.
      const isRefusal = error instanceof DaemonError && error.status < 500;
      await (isRefusal ? this.#shelf.take(KIND, name) : this.#shelf.leave(KIND, name));
      throw error;
    }
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function inFlight(): DaemonError {
  return new DaemonError(
    'IDEMPOTENCY_IN_FLIGHT',
    'A request with this Idempotency-Key is in progress. Send it again in a moment to get its response.',
  );
}

function reused(): DaemonError {
  return new DaemonError(
    'IDEMPOTENCY_KEY_REUSED',
    'This Idempotency-Key was used for another request. Use a new key for each request.',
  );
}
