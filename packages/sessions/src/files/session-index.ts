import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Report } from '@amplifier/core';
import { ABANDONED_CREATION_MS, DEFAULT_PAGE, JOURNAL_BYTES, REBUILD_PARALLEL } from '../defaults.js';
import type { Liveness } from '../process-identity.js';
import { checkLimit, compareAge, decodeCursor, encodeCursor, matcher } from '../query-sessions.js';
import type { SessionSummary } from '../records.js';
import { isSessionId } from '../session-ids.js';
import type { SessionPage, SessionQuery } from '../session-store.js';
import { FoldedJournal } from './folded-journal.js';
import { exists } from './folder.js';
import { compactEntry, type IndexEntry, IndexFold, type IndexLine } from './index-fold.js';

export interface SessionIndexOptions {
  folder: string;
  /** What is in the folder. */
  names: Promise<string[]>;
  clock: Clock;
  liveness: Liveness;
  report: Report;
  /** Whether this process holds a session, and nobody can take it away: then nobody else gives it children. */
  holds: (session_id: string) => boolean;
  /** Reads what the index should say of a session from the session itself; null when there is none. */
  read: (session_id: string) => Promise<{ summary: SessionSummary; rev: number } | null>;
}

/**
 * Which sessions there are, without opening them: a cache of what the folders say, shared by all processes. An entry is
 * written before its session appears, so a session that exists is always found; an entry that nothing followed is looked up
 * on disk before it is shown.
 */
export class SessionIndex {
  readonly #options: SessionIndexOptions;
  readonly #fold: IndexFold;
  readonly #journal: FoldedJournal<IndexLine>;
  /** Sessions that this process is bringing into being. */
  readonly #making = new Set<string>();
  #compacting: Promise<void> | undefined;
  #changes = 0;

  private constructor(options: SessionIndexOptions, fold: IndexFold, journal: FoldedJournal<IndexLine>) {
    this.#options = options;
    this.#fold = fold;
    this.#journal = journal;
  }

  static async open(options: SessionIndexOptions): Promise<SessionIndex> {
    const { folder, clock, liveness, report } = options;
    const fold = new IndexFold();
    const [journal, names] = await Promise.all([
      FoldedJournal.open({
        folder: join(folder, '.index'),
        name: 'index',
        snapshotPath: join(folder, 'index.json'),
        fold,
        snapshotIsCache: true,
        appliesOwn: true,
        maxBytes: JOURNAL_BYTES,
        clock,
        liveness,
        report,
      }),
      options.names,
    ]);
    const index = new SessionIndex(options, fold, journal);
    await index.#reconcile(names.filter(isSessionId));
    await index.#compactWhenLarge();
    return index;
  }

  get size(): number {
    return this.#fold.size;
  }

  refresh(): Promise<void> {
    return this.#journal.refresh();
  }

  get(session_id: string): IndexEntry | undefined {
    return this.#fold.get(session_id);
  }

  ids(): IterableIterator<string> {
    return this.#fold.ids();
  }

  entries(): readonly IndexEntry[] {
    return this.#fold.all();
  }

  /** Says what a session looks like. This process knows at once, the others when it resolves. */
  async put(summary: SessionSummary, rev: number, pending: IndexEntry['pending'] = null): Promise<void> {
    const line = compactEntry(summary, rev, pending);
    this.#fold.apply(line);
    await this.#journal.append([line], { sync: false });
    await this.#compactWhenLarge();
  }

  /**
   * Makes a session known that is about to appear. Returns null, or the session that already answers the same call. Looking
   * and taking are one step in this process; between processes the one owner of the parent keeps its calls apart.
   */
  async reserve(summary: SessionSummary, rev: number): Promise<string | null> {
    const { session_id, parent_id, tool_call_id } = summary;
    for (;;) {
      if (parent_id !== null && !this.#options.holds(parent_id)) await this.refresh();
      const rival = this.#rivalOf(parent_id, tool_call_id);
      if (rival && (this.#making.has(rival.session_id) || this.#isThere(rival))) return rival.session_id;
      if (this.#rivalOf(parent_id, tool_call_id) === rival) break;
    }
    this.#making.add(session_id);
    await this.put(summary, rev, 'birth');
    return null;
  }

  /** Ends a reservation with what has become of it. */
  async settle(session_id: string): Promise<void> {
    this.#making.delete(session_id);
    const found = await this.#options.read(session_id);
    if (found) await this.put(found.summary, found.rev);
    else await this.remove(session_id);
  }

  /**
   * Ends a reservation: the session is there. Other processes are not told, since they look for themselves until they hear
   * more of it, which is soon: a session that begins to work says so.
   */
  confirm(summary: SessionSummary, rev: number): void {
    this.#making.delete(summary.session_id);
    this.#fold.apply(compactEntry(summary, rev, null));
  }

  async remove(session_id: string): Promise<void> {
    this.#fold.apply({ session_id, gone: true });
    await this.#journal.append([{ session_id, gone: true }], { sync: false });
  }

  async list(query: SessionQuery): Promise<SessionPage> {
    const limit = checkLimit(query.limit ?? DEFAULT_PAGE);
    const matches = matcher(query);
    await this.refresh();
    const pool = this.#poolFor(query);
    const page: IndexEntry[] = [];
    let position = startOf(query, pool) - 1;
    for (; position >= 0 && page.length < limit; position--) {
      const entry = pool.at(position);
      if (!entry) continue;
      if (query.created_after !== undefined && entry.created < query.created_after) break;
      if (matches(entry) && this.#isShown(entry)) page.push(entry);
    }
    const last = page.at(-1);
    const isEnd = page.length < limit || position < 0 || !last;
    return { sessions: page.map(withoutBookkeeping), next_cursor: isEnd ? null : encodeCursor(last) };
  }

  /** The smallest that holds all that can match. */
  #poolFor({ parent_id, root_id }: SessionQuery): Pool {
    if (parent_id) return poolOf(this.#fold.children(parent_id));
    return root_id ? poolOf(this.#fold.tree(root_id)) : this.#fold;
  }

  async children(parent_id: string): Promise<SessionSummary[]> {
    await this.refresh();
    return this.#fold
      .children(parent_id)
      .filter((entry) => this.#isShown(entry))
      .map(withoutBookkeeping);
  }

  async childOfCall(parent_id: string, tool_call_id: string): Promise<string | null> {
    await this.refresh();
    const entry = this.#fold.childOfCall(parent_id, tool_call_id);
    return entry && this.#isThere(entry) ? entry.session_id : null;
  }

  async rebuild(): Promise<number> {
    await this.refresh();
    const names = (await readdir(this.#options.folder)).filter(isSessionId);
    for (const id of [...this.ids()]) await this.remove(id);
    await this.#readAll(names);
    await this.#journal.compact();
    return this.size;
  }

  compact(): Promise<void> {
    return this.#journal.compact();
  }

  async close(): Promise<void> {
    await this.#compacting;
    await this.#journal.close();
  }

  /** Adds what has a folder but no entry, and drops what has an entry but no folder. */
  async #reconcile(names: readonly string[]): Promise<void> {
    const unknown = names.filter((name) => !this.#fold.has(name));
    await this.#readAll(unknown);
    if (this.size === names.length) return;
    const there = new Set(names);
    const cutoff = new Date(this.#options.clock.now() - ABANDONED_CREATION_MS).toISOString();
    for (const id of [...this.ids()]) {
      if (there.has(id)) continue;
      // The listing is older than the journal: the session may have appeared in between, or be on its way.
      const entry = this.get(id);
      if (!entry || (entry.pending && entry.updated > cutoff) || this.#isThere(entry)) continue;
      await this.remove(id);
    }
  }

  async #readAll(names: readonly string[]): Promise<void> {
    const queue = names[Symbol.iterator]();
    const worker = async () => {
      for (const name of queue) {
        const found = await this.#options.read(name);
        if (found) await this.put(found.summary, found.rev);
      }
    };
    await Promise.all(Array.from({ length: Math.min(REBUILD_PARALLEL, names.length) }, worker));
  }

  /** What was being made and has been seen needs no second look; what was being removed does until it is gone. */
  #isShown(entry: IndexEntry): boolean {
    if (entry.pending === null) return true;
    const isThere = this.#isThere(entry);
    if (isThere && entry.pending === 'birth') entry.pending = null;
    return isThere;
  }

  #isThere(entry: IndexEntry): boolean {
    return exists(join(this.#options.folder, entry.session_id));
  }

  #rivalOf(parent_id: string | null, tool_call_id: string | null): IndexEntry | undefined {
    return parent_id === null || tool_call_id === null
      ? undefined
      : this.#fold.childOfCall(parent_id, tool_call_id);
  }

  async #compactWhenLarge(): Promise<void> {
    if (this.#compacting || this.#changes++ % COMPACT_CHECK_EVERY > 0 || !(await this.#journal.isLarge()))
      return;
    this.#compacting = this.#journal
      .compact()
      .catch((error) => {
        const message = `The session index could not be compacted: ${error.message}`;
        this.#options.report({ level: 'warning', code: 'INDEX_NOT_COMPACTED', message, error });
      })
      .finally(() => {
        this.#compacting = undefined;
      });
  }
}

/** Looking at the journal's size costs a system call, so not on every change. */
const COMPACT_CHECK_EVERY = 256;

/** Entries in the order of creation. */
interface Pool {
  readonly size: number;
  at(position: number): IndexEntry | undefined;
  /** The place of the first entry that is not before `key`. */
  position(key: { created: string; session_id: string }): number;
}

function poolOf(entries: readonly IndexEntry[]): Pool {
  return {
    size: entries.length,
    at: (position) => entries[position],
    position(key) {
      const found = entries.findIndex((entry) => compareAge(entry, key) >= 0);
      return found < 0 ? entries.length : found;
    },
  };
}

function startOf({ cursor, created_before }: SessionQuery, pool: Pool): number {
  let start = pool.size;
  if (cursor !== undefined) start = Math.min(start, pool.position(decodeCursor(cursor)));
  if (created_before !== undefined) {
    start = Math.min(start, pool.position({ created: created_before, session_id: '' }));
  }
  return start;
}

/** Each member by name: leaving two out of a copy takes ten times as long, and a listing does it for each entry. */
function withoutBookkeeping(entry: IndexEntry): SessionSummary {
  return {
    session_id: entry.session_id,
    parent_id: entry.parent_id,
    root_id: entry.root_id,
    agent_name: entry.agent_name,
    tool_call_id: entry.tool_call_id,
    profile_name: entry.profile_name,
    name: entry.name,
    status: entry.status,
    interrupted: entry.interrupted,
    created: entry.created,
    updated: entry.updated,
    ended: entry.ended,
    message_count: entry.message_count,
    turn_count: entry.turn_count,
    forked_from: entry.forked_from,
    imported_from: entry.imported_from,
    foreign: entry.foreign,
  };
}
