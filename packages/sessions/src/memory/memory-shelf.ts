import type { Clock, Liveness, ProcessIdentity } from '@amplifier/core';
import type { Shelf } from '../shelf.js';
import { shelfTopic } from '../topic-names.js';
import type { MemoryRecord, ShelfEntry } from './memory-record.js';

/** The shelf of a record in memory. */
export class MemoryShelf implements Shelf {
  readonly #record: MemoryRecord;
  readonly #clock: Clock;
  readonly #liveness: Liveness;

  constructor(record: MemoryRecord, clock: Clock, liveness: Liveness) {
    this.#record = record;
    this.#clock = clock;
    this.#liveness = liveness;
  }

  async get<T>(kind: string, name: string): Promise<T | null> {
    return bodyOf(this.#find(kind, name));
  }

  async all<T>(kind: string): Promise<T[]> {
    const names = await this.names(kind);
    return names.map((name) => bodyOf<T>(this.#find(kind, name))).filter((body) => body !== null);
  }

  async names(kind: string): Promise<string[]> {
    return [...(this.#record.shelf.get(kind)?.keys() ?? [])].sort();
  }

  add<T>(kind: string, name: string, body: T, until: number | null = null): Promise<boolean> {
    return this.change<T, boolean>(kind, name, (found) =>
      found === null ? { body, until, result: true } : { result: false },
    );
  }

  async put(kind: string, name: string, body: unknown, until: number | null = null): Promise<void> {
    this.#put(kind, name, { body: JSON.stringify(body), until, holder: null, held_until: 0 });
  }

  async take<T>(kind: string, name: string): Promise<T | null> {
    const found = this.#find(kind, name);
    if (found) this.#record.shelf.get(kind)?.delete(name);
    if (found) this.#record.topics.tell([shelfTopic(kind)]);
    return bodyOf(found);
  }

  async remove(kind: string, name: string): Promise<boolean> {
    return (await this.take(kind, name)) !== null;
  }

  async begin<T>(kind: string, name: string, body: T, ends: { until: number; heldMs: number }) {
    const entry = this.#find(kind, name);
    const found = bodyOf<T>(entry) ?? body;
    const begun = <State extends string>(state: State) => ({ state, body: found });
    if (entry?.holder === null) return begun('done');
    const isHeld = entry && entry.held_until > this.now() && this.#liveness.isAlive(entry.holder);
    if (isHeld) return begun('held');
    const until = entry ? entry.until : ends.until;
    const held = { holder: this.self, held_until: this.now() + ends.heldMs };
    this.#put(kind, name, { body: JSON.stringify(found), until, ...held });
    return begun(entry ? 'left' : 'new');
  }

  async change<T, Result>(
    kind: string,
    name: string,
    change: (found: T | null) => { body?: T; until?: number | null; result: Result },
  ): Promise<Result> {
    const { body, until = null, result } = change(bodyOf(this.#find(kind, name)));
    if (body !== undefined) await this.put(kind, name, body, until);
    return result;
  }

  async leave(kind: string, name: string): Promise<void> {
    const entry = this.#record.shelf.get(kind)?.get(name);
    if (entry) this.#put(kind, name, { ...entry, held_until: 0 });
  }

  async sweep(): Promise<void> {
    for (const entries of this.#record.shelf.values())
      for (const [name, { until }] of entries)
        if (until !== null && until <= this.now()) entries.delete(name);
  }

  now(): number {
    return this.#clock.now();
  }

  get self(): ProcessIdentity {
    return this.#liveness.self;
  }

  async isGone(process: ProcessIdentity): Promise<boolean> {
    return !this.#liveness.isAlive(process);
  }

  watch(kind: string, onNews: () => void): () => void {
    return this.#record.subscribe(shelfTopic(kind), onNews);
  }

  #find(kind: string, name: string): ShelfEntry | undefined {
    const entry = this.#record.shelf.get(kind)?.get(name);
    return entry && (entry.until === null || entry.until > this.now()) ? entry : undefined;
  }

  #put(kind: string, name: string, entry: ShelfEntry): void {
    const entries = this.#record.shelf.get(kind) ?? new Map<string, ShelfEntry>();
    this.#record.shelf.set(kind, entries.set(name, entry));
    this.#record.topics.tell([shelfTopic(kind)]);
  }
}

function bodyOf<T>(entry: ShelfEntry | undefined): T | null {
  return entry ? JSON.parse(entry.body) : null;
}
