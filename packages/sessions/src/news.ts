import { Bell } from '@amplifier/core';
import type { Database } from './database/database.js';

/** Yields at once, each time there is news about the topic, and when `bell` rings, until `signal` aborts. */
export async function* newsOf(
  database: Pick<Database, 'subscribe'>,
  topic: string,
  signal?: AbortSignal,
  bell = new Bell(),
) {
  const stop = database.subscribe(topic, () => bell.ring());
  try {
    bell.ring();
    while (await bell.wait(signal)) yield;
  } finally {
    stop();
  }
}

/** The same for a subscriber that can be closed, which ends the iteration. */
export class News {
  readonly #database: Pick<Database, 'subscribe'>;
  readonly #bells = new Set<Bell>();
  isClosed = false;

  constructor(database: Pick<Database, 'subscribe'>) {
    this.#database = database;
  }

  async *of(topic: string, signal?: AbortSignal, bell = new Bell()): AsyncGenerator<void> {
    this.#bells.add(bell);
    try {
      for await (const _ of newsOf(this.#database, topic, signal, bell)) {
        if (this.isClosed) return;
        yield;
      }
    } finally {
      this.#bells.delete(bell);
    }
  }

  close(): void {
    this.isClosed = true;
    for (const bell of this.#bells) bell.ring();
  }
}
