import type { JsonObject } from '@amplifier/core';
import type { SessionSummary } from '../records.js';
import type { Fold } from './folded-journal.js';

export interface IndexEntry extends SessionSummary {
  /** How many records the session had: of two lines about one session the one that knows more counts. */
  rev: number;
  /** It is being made or removed: look before you trust it. */
  pending: boolean;
}

/** A line says what a session looks like, or that it is gone. Members that are null, false or 0 are left out. */
export type IndexLine = { session_id: string } & (Partial<IndexEntry> | { gone: true });

/** The index in memory: by id, by creation, by parent and by tool call. */
export class IndexFold implements Fold<IndexLine> {
  readonly byId = new Map<string, IndexEntry>();
  /** Oldest first; ids break ties. */
  sorted: IndexEntry[] = [];
  readonly #children = new Map<string, Set<IndexEntry>>();
  readonly #calls = new Map<string, string>();
  /** One string for each agent and profile name, however many sessions have it. */
  readonly #names = new Map<string, string>();

  reset(snapshot: JsonObject | null): void {
    this.byId.clear();
    this.#children.clear();
    this.#calls.clear();
    this.sorted = [];
    const sessions = (snapshot?.sessions ?? {}) as Record<string, Partial<IndexEntry>>;
    for (const session_id of Object.keys(sessions)) {
      const entry = this.#expand({ ...sessions[session_id], session_id });
      this.#link(entry);
      this.sorted.push(entry);
    }
    if (this.sorted.some((entry, at) => at > 0 && compare(this.sorted[at - 1] as IndexEntry, entry) > 0)) {
      this.sorted.sort(compare);
    }
  }

  apply(line: IndexLine): void {
    const old = this.byId.get(line.session_id);
    if ('gone' in line) {
      if (old) this.#remove(old);
      return;
    }
    const entry = this.#expand(line);
    if (old && old.rev > entry.rev) return;
    if (old && old.created === entry.created && old.parent_id === entry.parent_id) {
      Object.assign(old, entry);
      return;
    }
    if (old) this.#remove(old);
    this.#insert(entry);
  }

  snapshot(): JsonObject {
    const sessions: JsonObject = {};
    for (const entry of this.sorted) {
      const { session_id, ...members } = compactEntry(entry);
      sessions[session_id] = members;
    }
    return { sessions };
  }

  children(parent_id: string): IndexEntry[] {
    return [...(this.#children.get(parent_id) ?? [])].sort(compare);
  }

  childOfCall(parent_id: string, tool_call_id: string): IndexEntry | undefined {
    const id = this.#calls.get(callKey(parent_id, tool_call_id));
    return id === undefined ? undefined : this.byId.get(id);
  }

  /** The place in `sorted` of the first entry that is not before `key`. */
  position(key: { created: string; session_id: string }): number {
    let low = 0;
    let high = this.sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare(this.sorted[middle] as IndexEntry, key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #insert(entry: IndexEntry): void {
    this.#link(entry);
    const last = this.sorted.at(-1);
    if (!last || compare(last, entry) < 0) this.sorted.push(entry);
    else this.sorted.splice(this.position(entry), 0, entry);
  }

  #link(entry: IndexEntry): void {
    const { session_id, parent_id, tool_call_id } = entry;
    this.byId.set(session_id, entry);
    if (parent_id === null) return;
    const siblings = this.#children.get(parent_id);
    if (siblings) siblings.add(entry);
    else this.#children.set(parent_id, new Set([entry]));
    if (tool_call_id !== null) this.#calls.set(callKey(parent_id, tool_call_id), session_id);
  }

  #remove(entry: IndexEntry): void {
    const { session_id, parent_id, tool_call_id } = entry;
    this.byId.delete(session_id);
    this.sorted.splice(this.position(entry), 1);
    if (parent_id === null) return;
    this.#children.get(parent_id)?.delete(entry);
    if (tool_call_id === null) return;
    const key = callKey(parent_id, tool_call_id);
    if (this.#calls.get(key) === session_id) this.#calls.delete(key);
  }

  #expand(line: Partial<IndexEntry> & { session_id: string }): IndexEntry {
    const { session_id, root_id = session_id, created = '', updated = created } = line;
    return {
      session_id,
      parent_id: line.parent_id ?? null,
      root_id: root_id === session_id ? session_id : root_id,
      agent_name: this.#name(line.agent_name),
      tool_call_id: line.tool_call_id ?? null,
      profile_name: this.#name(line.profile_name),
      name: line.name ?? null,
      status: line.status ?? 'created',
      interrupted: line.interrupted ?? false,
      created,
      updated: updated === created ? created : updated,
      ended: line.ended == null ? null : line.ended === updated ? updated : line.ended,
      message_count: line.message_count ?? 0,
      turn_count: line.turn_count ?? 0,
      forked_from: line.forked_from ?? null,
      imported_from: line.imported_from ?? null,
      foreign: line.foreign ?? false,
      rev: line.rev ?? 0,
      pending: line.pending ?? false,
    };
  }

  #name(name: string | null | undefined): string | null {
    if (name == null) return null;
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    this.#names.set(name, name);
    return name;
  }
}

/** What is written of an entry: members with their usual value are left out. */
export function compactEntry(entry: IndexEntry): Partial<IndexEntry> & { session_id: string } {
  const { session_id, created, updated, root_id } = entry;
  const line: JsonObject = { session_id };
  for (const [key, value] of Object.entries(entry)) {
    if (value === null || value === false || value === 0) continue;
    line[key] = value;
  }
  if (root_id === session_id) delete line.root_id;
  if (updated === created) delete line.updated;
  return line as Partial<IndexEntry> & { session_id: string };
}

export function compare(
  a: { created: string; session_id: string },
  b: { created: string; session_id: string },
): number {
  if (a.created !== b.created) return a.created < b.created ? -1 : 1;
  if (a.session_id === b.session_id) return 0;
  return a.session_id < b.session_id ? -1 : 1;
}

function callKey(parent_id: string, tool_call_id: string): string {
  return `${parent_id}\n${tool_call_id}`;
}
