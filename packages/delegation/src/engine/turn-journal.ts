import { type Clock, type HookRegistry, isoTime, isPlainObject, type JsonObject } from '@amplifier/core';
import type { NewEvent, SessionEvent, SessionLog } from '@amplifier/sessions';
import { JOURNAL_DELAY_MS } from '../defaults.js';

/** Facts of a turn beside its messages, as far as they are worth keeping. What a tool said is in the transcript. */
const KEPT: Record<string, readonly string[]> = {
  'tool:pre': ['tool_name', 'tool_call_id', 'parallel_group_id'],
  'tool:post': ['tool_name', 'tool_call_id', 'parallel_group_id'],
  'tool:error': ['tool_name', 'tool_call_id', 'parallel_group_id', 'error'],
  'provider:retry': ['provider', 'attempt', 'delay', 'error'],
  'provider:error': ['provider', 'model', 'error'],
  'context:compaction': ['before', 'after'],
  'policy:violation': ['tool_name', 'reason'],
};

/**
 * Writes the facts of a running turn. They may trail by a moment, so that several go to the disk at once; a fact that somebody
 * waits for (`appendEvents`) takes those before it along. `flush` waits for all.
 */
export class TurnJournal {
  #log: SessionLog;
  #clock: Clock;
  #held: NewEvent[] = [];
  #cancel: (() => void) | null = null;
  #last: Promise<unknown> = Promise.resolve();

  constructor(log: SessionLog, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  /** Keeps the events of this session; those of its children are in their own logs. */
  watch(hooks: HookRegistry): () => void {
    return hooks.observe((name, data) => {
      const members = KEPT[name];
      if (members && data.session_id === this.#log.session_id) this.note({ name, data: pick(data, members) });
    });
  }

  note(event: NewEvent): void {
    this.#held.push({ time: isoTime(this.#clock), ...event });
    this.#cancel ??= this.#clock.after(JOURNAL_DELAY_MS, () => void this.appendEvents([]));
  }

  /** On disk when it resolves, with all that was noted before, in order. */
  appendEvents(events: readonly NewEvent[]): Promise<SessionEvent[]> {
    this.#cancel?.();
    this.#cancel = null;
    return this.await(this.#log.appendEvents([...this.#held.splice(0), ...events]));
  }

  /** Something else that is being written. */
  await<T>(written: Promise<T>): Promise<T> {
    const before = this.#last;
    this.#last = written.then(() => before);
    this.#last.catch(() => {});
    return written;
  }

  /** Rejects when one of them could not be written: then the turn has no record and must not count as completed. */
  async flush(): Promise<void> {
    if (this.#held.length > 0) this.appendEvents([]).catch(() => {});
    await this.#last;
  }
}

function pick(data: Readonly<JsonObject>, members: readonly string[]): JsonObject {
  const kept: JsonObject = {};
  for (const member of members) if (data[member] !== undefined) kept[member] = data[member];
  if (isPlainObject(data.result)) kept.success = data.result.success;
  return kept;
}
