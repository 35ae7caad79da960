import { type Clock, isoTime, systemClock } from '@amplifier/core';
import { Bell } from '../bell.js';
import { chooseExpired } from '../choose-expired.js';
import { exportLines, readImport } from '../export-session.js';
import { summarize } from '../fold-metadata.js';
import type { Letter, NewLetter } from '../mailbox.js';
import { newBirth } from '../new-birth.js';
import type { RecordSource } from '../number-records.js';
import { type Liveness, systemLiveness } from '../process-identity.js';
import { querySessions } from '../query-sessions.js';
import type {
  DocumentName,
  NewSession,
  SessionContents,
  SessionDocuments,
  SessionEvent,
  SessionMetadata,
  SessionSummary,
  TranscriptLine,
} from '../records.js';
import { active, checkRange, fenced, hasChildren, taken } from '../refusals.js';
import { SessionError } from '../session-error.js';
import { checkSessionId, type RandomBytes, systemRandom, ulidSource } from '../session-ids.js';
import type {
  DeleteOptions,
  FeedItem,
  ForkOptions,
  OpenOptions,
  Range,
  RetentionPolicy,
  RetentionReport,
  SessionChange,
  SessionOwner,
  SessionPage,
  SessionQuery,
  SessionStore,
} from '../session-store.js';
import { checkTurn } from '../slice-turns.js';
import { timeSource } from '../time-source.js';
import { documentTexts, draftSession } from './draft-session.js';
import { type HeldSession, MemoryPlace } from './memory-place.js';
import { jsonText, MemorySessionLog, recordTexts, ring } from './memory-session-log.js';

export interface MemorySessionStoreOptions {
  /** Shared with other stores of this program. Default: a place of its own. */
  place?: MemoryPlace;
  clock?: Clock;
  random?: RandomBytes;
  /** Who this store writes for, and who else is alive. */
  liveness?: Liveness;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Sessions in the memory of one program, for whoever wants no disk. They are gone when the program ends. */
export class MemorySessionStore implements SessionStore {
  readonly ordered = true;
  readonly #place: MemoryPlace;
  readonly #clock: Clock;
  readonly #random: RandomBytes;
  readonly #liveness: Liveness;
  readonly #source: RecordSource;
  readonly #open = new Set<MemorySessionLog>();
  #isClosed = false;

  constructor(options: MemorySessionStoreOptions = {}) {
    const { clock = systemClock, random = systemRandom, liveness = systemLiveness } = options;
    this.#place = options.place ?? new MemoryPlace();
    this.#clock = clock;
    this.#random = random;
    this.#liveness = liveness;
    this.#source = { time: timeSource(clock), ulid: ulidSource(clock, random) };
  }

  async create(session: NewSession = {}, contents: SessionContents = {}): Promise<MemorySessionLog> {
    this.#requireOpen();
    const parent = session.parent_id == null ? undefined : this.#place.sessions.get(session.parent_id);
    const birth = newBirth(session, parent?.metadata ?? null, this.#births);
    this.#requireFree(birth);
    return this.#add(draftSession(this.#source, birth, contents));
  }

  async open(session_id: string, { lease }: OpenOptions = {}): Promise<MemorySessionLog> {
    const session = this.#find(session_id);
    const { owner, lease: known } = session;
    if (lease !== undefined && known !== null && known > lease) throw fenced(`Session ${session_id}`);
    const isNewer = lease !== undefined && owner?.lease != null && owner.lease < lease;
    if (this.#isOwned(session) && !isNewer) throw locked(session_id);
    return this.#start(session, lease ?? null);
  }

  async fork(session_id: string, options: ForkOptions = {}): Promise<MemorySessionLog> {
    const { metadata, messages } = this.#find(session_id);
    const { turn = metadata.turn_count, session = {}, contents = {} } = options;
    if (turn !== metadata.turn_count) checkTurn(turn, metadata.turn_count);
    const kept = messagesUpTo(messages, turn);
    const { config, agent_overlay, agent_name, working_dir, profile_name, name, model } = metadata;
    const inherited = { config, agent_overlay, agent_name, working_dir, profile_name, name, model };
    const birth = {
      ...newBirth({ ...inherited, ...session }, null, this.#births),
      forked_from: { session_id, turn, seq: kept.length },
    };
    this.#requireFree(birth);
    return this.#add(draftSession(this.#source, birth, contents, kept));
  }

  async has(session_id: string): Promise<boolean> {
    this.#requireOpen();
    return this.#place.sessions.has(checkSessionId(session_id));
  }

  async resolve(prefix: string): Promise<string> {
    if (await this.has(prefix)) return prefix;
    const matches = [...this.#place.sessions.keys()].filter((id) => id.startsWith(prefix));
    const [only, second] = matches;
    if (only === undefined) throw notFound(prefix);
    if (second === undefined) return only;
    throw new SessionError(
      `${matches.length} sessions begin with ${prefix}, among them ${only} and ${second}. Give more of the id.`,
      { code: 'SESSION_AMBIGUOUS', origin: prefix },
    );
  }

  async metadata(session_id: string): Promise<SessionMetadata> {
    return { ...this.#find(session_id).metadata };
  }

  async messages(session_id: string, range: Range = {}): Promise<TranscriptLine[]> {
    return readRange(this.#find(session_id).messages, range);
  }

  async tail(session_id: string, count: number): Promise<TranscriptLine[]> {
    checkRange({ limit: count });
    return this.#find(session_id)
      .messages.slice(-count)
      .map((text) => JSON.parse(text));
  }

  async events(session_id: string, range: Range = {}): Promise<SessionEvent[]> {
    return readRange(this.#find(session_id).events, range);
  }

  async document<Name extends DocumentName>(
    session_id: string,
    name: Name,
  ): Promise<SessionDocuments[Name] | null> {
    const text = this.#find(session_id).documents[name];
    return text === undefined ? null : JSON.parse(text);
  }

  async owner(session_id: string): Promise<SessionOwner | null> {
    const session = this.#find(session_id);
    if (!session.owner || !this.#isOwned(session)) return null;
    const { process, since, lease } = session.owner;
    return { pid: process.pid, host: process.host, since, lease };
  }

  async list(query: SessionQuery = {}): Promise<SessionPage> {
    this.#requireOpen();
    const { parent_id, root_id } = query;
    const pool = typeof parent_id === 'string' ? this.#place.children(parent_id) : this.#place.all();
    const tree = root_id === undefined ? pool : pool.filter(({ metadata }) => metadata.root_id === root_id);
    return querySessions(tree.map(summaryOf), query);
  }

  async children(parent_id: string): Promise<SessionSummary[]> {
    this.#requireOpen();
    return this.#place.children(checkSessionId(parent_id)).map(summaryOf);
  }

  async childOfCall(parent_id: string, tool_call_id: string): Promise<string | null> {
    this.#requireOpen();
    return this.#place.childOfCall(checkSessionId(parent_id), tool_call_id);
  }

  async orphaned(): Promise<SessionSummary[]> {
    this.#requireOpen();
    return this.#place
      .all()
      .filter((session) => session.metadata.status === 'active' && !this.#isOwned(session))
      .map(summaryOf);
  }

  /** Listings and feed are the sessions themselves here: there is nothing that could be missing. */
  async recover(): Promise<string[]> {
    this.#requireOpen();
    const left = this.#place.all().filter((session) => session.owner && !this.#isOwned(session));
    for (const session of left) session.owner = null;
    return left.map(({ metadata }) => metadata.session_id).sort();
  }

  async *watch(
    session_id: string,
    options: { after_message?: number; after_event?: number; signal?: AbortSignal } = {},
  ): AsyncGenerator<SessionChange> {
    const session = this.#find(session_id);
    const { signal } = options;
    let messages = options.after_message ?? session.messages.length;
    let events = options.after_event ?? session.events.length;
    for await (const _ of rings(session.bells, signal)) {
      while (events < session.events.length)
        yield { kind: 'event', event: JSON.parse(session.events[events++] as string) };
      while (messages < session.messages.length)
        yield { kind: 'message', message: JSON.parse(session.messages[messages++] as string) };
    }
  }

  async *feed({ after, signal }: { after?: string; signal?: AbortSignal } = {}): AsyncGenerator<FeedItem> {
    this.#requireOpen();
    const { feed, followers, sessions } = this.#place;
    let at = after === undefined ? feed.length : parseCursor(after, feed.length);
    for await (const _ of rings(followers, signal)) {
      for (let item = feed[at]; item; item = feed[at]) {
        at++;
        const { session, seq } = item;
        // A session that has been deleted since has nothing to say any more.
        if (!sessions.has(session.metadata.session_id)) continue;
        yield { cursor: String(at), event: JSON.parse(session.events[seq - 1] as string) };
        if (signal?.aborted) return;
      }
    }
  }

  async feedCursor(): Promise<string> {
    this.#requireOpen();
    return String(this.#place.feed.length);
  }

  async send({ to, kind, from = null, id, reply_to = null, body }: NewLetter): Promise<{ id: string }> {
    const session = this.#find(to);
    const { letters } = session;
    const own = id ?? `letter_${this.#source.ulid()}`;
    if (letters.some((letter) => letter.id === own)) return { id: own };
    const time = this.#source.time();
    const cursor = letters.length + 1;
    letters.push(JSON.parse(jsonText({ id: own, to, kind, from, reply_to, time, body, cursor }, to)));
    ring(session.bells);
    return { id: own };
  }

  async letters(session_id: string): Promise<Letter[]> {
    return structuredClone(this.#find(session_id).letters);
  }

  async delete(
    session_id: string,
    { children = 'refuse', force = false }: DeleteOptions = {},
  ): Promise<string[]> {
    const session = this.#find(session_id);
    if (session.metadata.status === 'active' && !force) throw active(session_id);
    const below = children === 'orphan' ? [] : this.#place.children(session_id);
    if (below.length > 0 && children === 'refuse') throw hasChildren(session_id, below.length);
    const deleted: string[] = [];
    for (const child of below) {
      deleted.push(...(await this.delete(child.metadata.session_id, { children, force })));
    }
    this.#discard(session);
    return [...deleted, session_id];
  }

  async restore(session_id: string): Promise<void> {
    const { sessions, trash } = this.#place;
    const discarded = trash.get(checkSessionId(session_id)) ?? [];
    const newest = discarded.at(-1);
    if (!newest) throw notFound(session_id);
    if (sessions.has(session_id)) throw taken(session_id);
    discarded.pop();
    this.#place.add(newest.session);
  }

  async emptyTrash(older_than_days: number): Promise<string[]> {
    checkCount('older_than_days', older_than_days);
    const cutoff = this.#clock.now() - older_than_days * DAY_MS;
    const gone: string[] = [];
    for (const [session_id, discarded] of this.#place.trash) {
      const kept = discarded.filter(({ time }) => time > cutoff);
      gone.push(...Array.from({ length: discarded.length - kept.length }, () => session_id));
      if (kept.length > 0) this.#place.trash.set(session_id, kept);
      else this.#place.trash.delete(session_id);
    }
    return gone;
  }

  async retain(policy: RetentionPolicy): Promise<RetentionReport> {
    this.#requireOpen();
    const report: RetentionReport = { session_ids: [], bytes: 0, dry_run: policy.dry_run ?? false };
    for (const { session_id } of chooseExpired(this.#place.all().map(summaryOf), policy, this.#clock.now())) {
      const session = this.#find(session_id);
      if (this.#isOwned(session)) continue;
      if (!report.dry_run) this.#discard(session);
      report.session_ids.push(session_id);
      report.bytes += bytesOf(session);
    }
    return report;
  }

  async *export(session_id: string): AsyncGenerator<string> {
    const { documents, events, messages, letters } = this.#find(session_id);
    yield* exportLines({
      session_id,
      documents: Object.fromEntries(
        Object.entries(documents).map(([name, text]) => [name, JSON.parse(text)]),
      ),
      events: events.map((text) => JSON.parse(text)),
      messages: messages.map((text) => JSON.parse(text)),
      letters,
    });
  }

  async import(
    lines: AsyncIterable<string> | Iterable<string>,
    options: { session_id?: string } = {},
  ): Promise<string> {
    const { metadata, events, messages, documents, letters } = await readImport(lines, options);
    const { session_id } = metadata;
    this.#requireFree(metadata);
    const log = this.#add({
      metadata,
      events: recordTexts(events, session_id),
      messages: recordTexts(messages, session_id),
      documents: documentTexts(documents, session_id),
      letters: letters.map((letter, at) => ({ ...letter, cursor: at + 1 })),
      owner: null,
      lease: null,
      bells: new Set(),
    });
    await log.close();
    return session_id;
  }

  /** No other program writes here, so a session is always one of ours. */
  async adopt(session_id: string): Promise<string> {
    return this.#find(session_id).metadata.session_id;
  }

  async rebuildIndex(): Promise<number> {
    this.#requireOpen();
    return this.#place.sessions.size;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    for (const log of [...this.#open]) await log.close();
    this.#isClosed = true;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get #births() {
    return { clock: this.#clock, ulid: this.#source.ulid, random: this.#random };
  }

  #add(session: HeldSession): MemorySessionLog {
    this.#place.add(session);
    for (let seq = 1; seq <= session.events.length; seq++) this.#place.feed.push({ session, seq });
    ring(this.#place.followers);
    return this.#start(session, null);
  }

  #start(session: HeldSession, lease: number | null): MemorySessionLog {
    const owner = { process: this.#liveness.self, since: isoTime(this.#clock), lease };
    session.owner = owner;
    session.lease = lease ?? session.lease;
    const log = new MemorySessionLog(this.#place, session, owner, this.#source, () => this.#open.delete(log));
    this.#open.add(log);
    return log;
  }

  #discard(session: HeldSession): void {
    const { session_id } = session.metadata;
    if (this.#isOwned(session)) throw locked(session_id);
    this.#place.remove(session);
    const before = this.#place.trash.get(session_id) ?? [];
    this.#place.trash.set(session_id, [...before, { session, time: this.#clock.now() }]);
  }

  #isOwned({ owner }: HeldSession): boolean {
    return owner !== null && (owner.process === this.#liveness.self || this.#liveness.isAlive(owner.process));
  }

  #find(session_id: string): HeldSession {
    this.#requireOpen();
    const session = this.#place.sessions.get(checkSessionId(session_id));
    if (!session) throw notFound(session_id);
    return session;
  }

  #requireFree({
    session_id,
    parent_id,
    tool_call_id,
  }: Pick<SessionMetadata, 'session_id' | 'parent_id' | 'tool_call_id'>): void {
    if (this.#place.sessions.has(session_id)) throw taken(session_id);
    if (parent_id === null || tool_call_id === null) return;
    const rival = this.#place.childOfCall(parent_id, tool_call_id);
    if (rival !== null) {
      throw new SessionError(
        `Tool call ${tool_call_id} of session ${parent_id} already has session ${rival}. Open that one instead.`,
        { code: 'SESSION_EXISTS', origin: rival },
      );
    }
  }

  #requireOpen(): void {
    if (!this.#isClosed) return;
    throw new SessionError('The session store is closed; make another.', { code: 'LOG_CLOSED' });
  }
}

/** Yields at once, and each time somebody rings, until `signal` aborts. */
async function* rings(bells: Set<Bell>, signal: AbortSignal | undefined): AsyncGenerator<void> {
  const bell = new Bell();
  bells.add(bell);
  try {
    bell.ring();
    while (await bell.wait(signal)) yield;
  } finally {
    bells.delete(bell);
  }
}

function summaryOf({ metadata }: HeldSession): SessionSummary {
  return summarize(metadata);
}

function messagesUpTo(messages: readonly string[], turn: number): string[] {
  let end = messages.length;
  while (end > 0 && (JSON.parse(messages[end - 1] as string) as TranscriptLine).turn > turn) end--;
  return messages.slice(0, end);
}

function bytesOf({ messages, events, documents }: HeldSession): number {
  return [...messages, ...events, ...Object.values(documents)].reduce(
    (sum, text) => sum + Buffer.byteLength(text),
    0,
  );
}

function readRange<T>(records: readonly string[], range: Range): T[] {
  checkRange(range);
  const { after = 0, before = Number.POSITIVE_INFINITY, limit = Number.POSITIVE_INFINITY } = range;
  return records.slice(after, Math.min(before - 1, after + limit)).map((text) => JSON.parse(text));
}

function checkCount(name: string, value: number): void {
  if (Number.isInteger(value) && value >= 0) return;
  throw new SessionError(`${name} is a whole number from 0 up, and this is ${value}.`, {
    code: 'INVALID_QUERY',
  });
}

function parseCursor(cursor: string, end: number): number {
  const at = /^\d+$/.test(cursor) ? Number(cursor) : Number.NaN;
  if (at <= end) return at;
  throw new SessionError(`${JSON.stringify(cursor)} is not a cursor of the feed.`, {
    code: 'INVALID_CURSOR',
  });
}

function notFound(session_id: string): SessionError {
  return new SessionError(
    `There is no session ${session_id} here. List the sessions to see which there are.`,
    {
      code: 'SESSION_NOT_FOUND',
      origin: session_id,
    },
  );
}

function locked(session_id: string): SessionError {
  return new SessionError(`Session ${session_id} is being written. Wait for its owner to close it.`, {
    code: 'SESSION_LOCKED',
    origin: session_id,
    retryable: true,
  });
}
