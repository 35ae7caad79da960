import { compareAge } from '../query-sessions.js';
import type { SessionSummary } from '../records.js';
import type { Fold } from './folded-journal.js';
import { NO_ROWS, readRows, type SnapshotRows, writeRows } from './index-snapshot.js';

export interface IndexEntry extends SessionSummary {
  /** How many records the session had: of two lines about one session the one that knows more counts. */
  rev: number;
  /** It is being made or removed: look before you trust it. */
  pending: 'birth' | 'removal' | null;
}

/** What is written of an entry: members with their usual value are undefined, and so left out. */
export type CompactEntry = { session_id: string } & {
  [Member in keyof IndexEntry]?: IndexEntry[Member] | undefined;
};

/** A line says what a session looks like, or that it is gone. */
export type IndexLine = CompactEntry | { session_id: string; gone: true };

/** A row of the snapshot that nobody has looked at yet, or an entry. */
type Slot = number | IndexEntry;

/**
 * The index in memory: by id, by creation, by parent and by tool call. The snapshot has one line per session, oldest first,
 * and a line is parsed when somebody asks for it, so that a new process can show the newest of many sessions at once.
 */
export class IndexFold implements Fold<IndexLine> {
  readonly #byId = new Map<string, Slot>();
  /** Oldest first; ids break ties. */
  #sorted: Slot[] = [];
  #rows: SnapshotRows = NO_ROWS;
  /** Made when first asked for, because it needs every row. */
  #family: Family | undefined;
  /** One string for each agent and profile name, however many sessions have it. */
  readonly #names = new Map<string, string>();

  get size(): number {
    return this.#byId.size;
  }

  load(snapshot: Buffer | null): number | null {
    this.#byId.clear();
    this.#family = undefined;
    const rows = snapshot === null ? NO_ROWS : readRows(snapshot);
    this.#rows = rows ?? NO_ROWS;
    this.#sorted = Array.from(this.#rows.ids, (_, row) => row);
    for (const [row, id] of this.#rows.ids.entries()) this.#byId.set(id, row);
    return rows === null ? null : rows.generation;
  }

  dump(generation: number): string {
    const rows: string[] = [];
    for (let at = 0; at < this.#sorted.length; at++) {
      const slot = this.#sorted[at] as Slot;
      if (typeof slot === 'number') rows.push(this.#rows.text(slot));
      else {
        const { session_id, ...members } = compactEntry(slot, slot.rev, slot.pending);
        rows.push(`${JSON.stringify(session_id)}:${JSON.stringify(members)}`);
      }
    }
    return writeRows(generation, rows);
  }

  apply(line: IndexLine): void {
    const old = this.get(line.session_id);
    if ('gone' in line) {
      if (old) this.#remove(old);
      return;
    }
    const entry = this.#expand(line);
    if (old && (old.rev > entry.rev || isLateBirth(old, entry))) return;
    if (old && old.created === entry.created) {
      this.#update(old, entry);
      return;
    }
    if (old) this.#remove(old);
    this.#insert(entry);
  }

  has(session_id: string): boolean {
    return this.#byId.has(session_id);
  }

  ids(): IterableIterator<string> {
    return this.#byId.keys();
  }

  get(session_id: string): IndexEntry | undefined {
    const slot = this.#byId.get(session_id);
    if (typeof slot !== 'number') return slot;
    const entry = this.#read(slot);
    this.#sorted[this.position(entry)] = entry;
    return entry;
  }

  /** The entry at a place in the order of creation. */
  at(position: number): IndexEntry | undefined {
    const slot = this.#sorted[position];
    if (typeof slot !== 'number') return slot;
    const entry = this.#read(slot);
    this.#sorted[position] = entry;
    return entry;
  }

  all(): IndexEntry[] {
    return Array.from(this.#sorted, (_, position) => this.at(position) as IndexEntry);
  }

  children(parent_id: string): IndexEntry[] {
    return [...(this.#kin().children.get(parent_id) ?? [])].sort(compareAge);
  }

  /** A root and all below it. */
  tree(root_id: string): IndexEntry[] {
    const tree = [...(this.#kin().trees.get(root_id) ?? [])];
    const root = this.get(root_id);
    if (root?.root_id === root_id) tree.push(root);
    return tree.sort(compareAge);
  }

  childOfCall(parent_id: string, tool_call_id: string): IndexEntry | undefined {
    const id = this.#kin().calls.get(callKey(parent_id, tool_call_id));
    return id === undefined ? undefined : this.get(id);
  }

  /** The place of the first entry that is not before `key`. */
  position(key: { created: string; session_id: string }): number {
    let low = 0;
    let high = this.#sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareAge(this.at(middle) as IndexEntry, key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The entry of a row, the same one however often and by whichever way it is asked for. */
  #read(row: number): IndexEntry {
    const session_id = this.#rows.ids[row] as string;
    const known = this.#byId.get(session_id);
    if (known !== undefined && typeof known !== 'number') return known;
    const text = this.#rows.text(row);
    const entry = this.#expand({ ...JSON.parse(text.slice(session_id.length + 3)), session_id });
    this.#byId.set(session_id, entry);
    return entry;
  }

  #insert(entry: IndexEntry): void {
    this.#byId.set(entry.session_id, entry);
    if (this.#family) link(this.#family, entry);
    const last = this.at(this.#sorted.length - 1);
    if (!last || compareAge(last, entry) < 0) this.#sorted.push(entry);
    else this.#sorted.splice(this.position(entry), 0, entry);
  }

  #update(old: IndexEntry, entry: IndexEntry): void {
    const family = areKinAlike(old, entry) ? undefined : this.#family;
    if (family) unlink(family, old);
    Object.assign(old, entry);
    if (family) link(family, old);
  }

  #remove(entry: IndexEntry): void {
    const position = this.position(entry);
    this.#byId.delete(entry.session_id);
    this.#sorted.splice(position, 1);
    if (this.#family) unlink(this.#family, entry);
  }

  #kin(): Family {
    if (this.#family) return this.#family;
    this.#family = { children: new Map(), trees: new Map(), calls: new Map() };
    for (const entry of this.all()) link(this.#family, entry);
    return this.#family;
  }

  #expand(line: CompactEntry): IndexEntry {
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
      // Lines of older versions say only that there is something.
      pending: line.pending === 'birth' ? 'birth' : line.pending ? 'removal' : null,
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

/** Is this the announcement of a session that has been seen since? */
function isLateBirth(known: IndexEntry, line: IndexEntry): boolean {
  return line.pending === 'birth' && known.pending === null && known.created === line.created;
}

/** Whether two views of one session have the same place in the family. */
function areKinAlike(a: IndexEntry, b: IndexEntry): boolean {
  return a.parent_id === b.parent_id && a.root_id === b.root_id && a.tool_call_id === b.tool_call_id;
}

interface Family {
  children: Map<string, Set<IndexEntry>>;
  /** By root, without the root itself. */
  trees: Map<string, Set<IndexEntry>>;
  calls: Map<string, string>;
}

function link({ children, trees, calls }: Family, entry: IndexEntry): void {
  const { session_id, parent_id, root_id, tool_call_id } = entry;
  if (root_id !== session_id) join(trees, root_id, entry);
  if (parent_id === null) return;
  join(children, parent_id, entry);
  if (tool_call_id !== null) calls.set(callKey(parent_id, tool_call_id), session_id);
}

function unlink({ children, trees, calls }: Family, entry: IndexEntry): void {
  const { session_id, parent_id, root_id, tool_call_id } = entry;
  leave(trees, root_id, entry);
  if (parent_id === null) return;
  leave(children, parent_id, entry);
  if (tool_call_id === null) return;
  const key = callKey(parent_id, tool_call_id);
  if (calls.get(key) === session_id) calls.delete(key);
}

function join(groups: Map<string, Set<IndexEntry>>, key: string, entry: IndexEntry): void {
  const group = groups.get(key);
  if (group) group.add(entry);
  else groups.set(key, new Set([entry]));
}

function leave(groups: Map<string, Set<IndexEntry>>, key: string, entry: IndexEntry): void {
  const group = groups.get(key);
  if (group?.delete(entry) && group.size === 0) groups.delete(key);
}

/** One literal: leaving members out of a copy takes many times as long, and every change of a session comes by here. */
export function compactEntry(
  summary: SessionSummary,
  rev: number,
  pending: IndexEntry['pending'],
): CompactEntry {
  const { session_id, root_id, created, updated } = summary;
  return {
    session_id,
    parent_id: summary.parent_id ?? undefined,
    root_id: root_id === session_id ? undefined : root_id,
    agent_name: summary.agent_name ?? undefined,
    tool_call_id: summary.tool_call_id ?? undefined,
    profile_name: summary.profile_name ?? undefined,
    name: summary.name ?? undefined,
    status: summary.status,
    interrupted: summary.interrupted || undefined,
    created,
    updated: updated === created ? undefined : updated,
    ended: summary.ended ?? undefined,
    message_count: summary.message_count || undefined,
    turn_count: summary.turn_count || undefined,
    forked_from: summary.forked_from ?? undefined,
    imported_from: summary.imported_from ?? undefined,
    foreign: summary.foreign || undefined,
    rev: rev || undefined,
    pending: pending ?? undefined,
  };
}

function callKey(parent_id: string, tool_call_id: string): string {
  return `${parent_id}\n${tool_call_id}`;
}
