import { type Clock, isoTime, isPlainObject, type JsonObject } from '@amplifier/core';
import type { NewEvent, NewMessage, SessionEvent, SessionLog } from '@amplifier/sessions';
import { JOURNAL_DELAY_MS } from '../defaults.js';
import { SharedTimer } from './shared-timer.js';

/** Facts of a turn beside its messages, as far as they are worth keeping. What a tool said is in the transcript. */
export const KEPT: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ['tool:pre', ['tool_name', 'tool_call_id', 'parallel_group_id']],
  ['tool:post', ['tool_name', 'tool_call_id', 'parallel_group_id']],
  ['tool:error', ['tool_name', 'tool_call_id', 'parallel_group_id', 'error']],
  ['provider:retry', ['provider', 'attempt', 'delay', 'error']],
  ['provider:wait', ['provider', 'model', 'delay', 'reason']],
  ['provider:error', ['provider', 'model', 'error']],
  ['provider:fallback', ['from', 'to', 'error']],
  ['context:compaction', ['before', 'after']],
  ['policy:violation', ['tool_name', 'reason']],
]);

const NOTHING_TO_WAIT_FOR = Promise.resolve();

/**
 * Writes what happens in a running turn. Everything is committed soon and in order; only what acts outside of the record waits, for
 * the disk (`settle`). Facts beside the messages are held back a moment to share a write. The record keeps the order of all writes
 * of a process, so that one that is on disk guarantees those before it.
 */
export class TurnJournal {
  static readonly #late = new SharedTimer<TurnJournal>(JOURNAL_DELAY_MS, (journal) => journal.#trail());
  readonly #log: SessionLog;
  readonly #clock: Clock;
  #held: NewEvent[] = [];
  /** The last of what must be waited for, and all before it. */
  #last: Promise<unknown> | null = null;
  /** Every message is on disk. */
  #isSettled = true;
  /** A tool has acted outside of the record since the last commit. */
  #hasActed = false;
  #failure: { error: unknown } | null = null;

  constructor(log: SessionLog, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  get epoch(): number {
    return this.#log.epoch;
  }

  /** Keeps an event of this session; those of its children are in their own logs. */
  watch(name: string, data: Readonly<JsonObject>): void {
    const members = KEPT.get(name);
    if (members) this.note({ name, data: pick(data, members) });
  }

  /** A fact that may trail: it shares a write with what comes next. */
  note(event: NewEvent): void {
    if (this.#held.push({ time: isoTime(this.#clock), ...event }) === 1) TurnJournal.#late.add(this);
  }

  /** A fact that takes its place in the record now, before whatever other sessions write next, and shares their commit. */
  append(event: NewEvent): void {
    this.guarantee(this.#append([{ time: isoTime(this.#clock), ...event }], true));
  }

  /** Committed when it resolves, with all that was noted before, in order. */
  appendEvents(events: readonly NewEvent[]): Promise<SessionEvent[]> {
    const written = this.#append(events);
    this.guarantee(written);
    return written;
  }

  /** Facts that the next message of this session guarantees. Resolves when that message may be written. */
  keep(events: readonly NewEvent[]): Promise<unknown> {
    // The next message takes along what was noted before it.
    for (const event of events) this.note(event);
    return NOTHING_TO_WAIT_FOR;
  }

  /** The next write guarantees this, also a write to another session; a failure is still reported. */
  guarantee(written: Promise<unknown>): void {
    written.catch((error) => {
      this.#failure ??= { error };
    });
  }

  /** A message. `settle` waits until it may be acted on outside of the record. */
  say(message: NewMessage): void {
    this.#trail();
    this.#isSettled = false;
    this.guarantee(this.#log.appendMessages([message], { trailing: true }));
  }

  /**
   * Something is about to act outside of the record: waits until every message is on disk, where one is not. What other sessions of
   * this process wrote before goes with them.
   */
  settle(): Promise<void> | undefined {
    this.#hasActed = true;
    if (this.#isSettled) return undefined;
    this.#isSettled = true;
    return this.#log.flush('disk');
  }

  /**
   * A model is about to be asked: has what was written committed in the meantime. What a tool did outside of the record must not be
   * lost and is waited for; a model's answer can be asked for again. Throws when an earlier write failed.
   */
  commit(): Promise<void> | undefined {
    this.#requireWritten();
    this.#trail();
    const committed = this.#log.flush('process');
    this.guarantee(committed);
    if (!this.#hasActed) return undefined;
    this.#hasActed = false;
    return committed;
  }

  /** Work that leads to more facts. `flush` waits for it. */
  await<T>(work: Promise<T>): Promise<T> {
    const before = this.#last;
    this.#last = work.then(() => before);
    this.#last.catch(() => {});
    return work;
  }

  #append(events: readonly NewEvent[], trailing = false): Promise<SessionEvent[]> {
    if (this.#held.length > 0) TurnJournal.#late.delete(this);
    return this.#log.appendEvents([...this.#held.splice(0), ...events], { trailing, durability: 'process' });
  }

  /** Puts what is held in its place before what is written next. */
  #trail(): void {
    if (this.#held.length > 0) this.guarantee(this.#append([], true));
  }

  /**
   * Sees to it that all of it is, or will be, on disk before what is written next. Throws or rejects when some of it could not be
   * written: then the turn has no record and must not count as completed. A promise only if there is something to wait for.
   */
  flush(): Promise<void> | undefined {
    this.#trail();
    if (this.#last) return this.#last.then(() => this.#requireWritten());
    this.#requireWritten();
    return undefined;
  }

  #requireWritten(): void {
    if (this.#failure) throw this.#failure.error;
  }
}

function pick(data: Readonly<JsonObject>, members: readonly string[]): JsonObject {
  const kept: JsonObject = {};
  for (const member of members) if (data[member] !== undefined) kept[member] = data[member];
  if (isPlainObject(data.result)) kept.success = data.result.success;
  return kept;
}
