import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Clock, errorInfo, type Report, systemClock } from '@amplifier/core';
import { OPEN_FILES } from '../defaults.js';
import { exportLines } from '../export-session.js';
import type { Letter, NewLetter } from '../mailbox.js';
import { newBirth } from '../new-birth.js';
import { type Liveness, systemLiveness } from '../process-identity.js';
import type {
  DocumentName,
  NewSession,
  SessionBirth,
  SessionContents,
  SessionDocuments,
  SessionEvent,
  SessionMetadata,
  SessionSummary,
  TranscriptLine,
} from '../records.js';
import { checkRange } from '../refusals.js';
import { repairToolCalls } from '../repair-tool-calls.js';
import { hasCode, SessionError } from '../session-error.js';
import { checkSessionId, type RandomBytes, systemRandom, ulidSource } from '../session-ids.js';
import type { SessionLog } from '../session-log.js';
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
import { timeSource } from '../time-source.js';
import { coalesce } from './coalesce.js';
import { type Draft, draftSession, writeSession } from './create-session.js';
import { draftImport } from './draft-import.js';
import { Feed, formatCursor } from './feed.js';
import { readLetters, sendLetter } from './file-mailbox.js';
import { FileSessionLog } from './file-session-log.js';
import { ensureFolder, exists } from './folder.js';
import { draftFork } from './fork-session.js';
import { HandlePool } from './handle-pool.js';
import { DOCUMENT_FILES, type Layout, type SessionPaths, sessionPaths } from './layout.js';
import { publishMissed, takeSession } from './open-session.js';
import { OwnerNote, removeDeadNotes } from './owner-note.js';
import { type PythonSession, readPythonSession } from './python-session.js';
import { readEvents, readMessages, readTail } from './read-log.js';
import { readSummary } from './read-summary.js';
import { RecentMetadata } from './recent-metadata.js';
import { recoverRedo } from './recover-redo.js';
import { recoverSessions } from './recover-sessions.js';
import { RedoLog } from './redo-log.js';
import { removeAbandoned } from './remove-abandoned.js';
import { deleteSession, reindex, retainSessions } from './remove-sessions.js';
import { SessionIndex } from './session-index.js';
import { corrupt, isMissing, onDisk } from './storage-error.js';
import { type StoreContext, warn } from './store-context.js';
import { foreign, loadSession, notFound, type StoredSession } from './stored-session.js';
import { emptyTrash, restoreDiscarded } from './trash.js';
import { followFeed, type WatchOptions, watchSession } from './watch-session.js';
import { syncFolder } from './write-atomic.js';
import { parseDocument } from './write-document.js';
import { lockRecord, WriterLock } from './writer-lock.js';

export interface FileSessionStoreOptions {
  /** The folder that holds the sessions, one folder each. Made when missing. */
  folder: string;
  layout?: Layout;
  clock?: Clock;
  random?: RandomBytes;
  liveness?: Liveness;
  /** Told of what was mended or skipped. Default: a process warning. */
  report?: Report;
}

/** Sessions as folders of plain files, shared by any number of processes of one machine. */
export class FileSessionStore implements SessionStore {
  /** Every write is made before its call returns, and one redo log keeps their order. */
  readonly ordered = true;
  readonly #context: StoreContext;
  readonly #open: Map<string, FileSessionLog>;
  /** Sessions that this process is giving free: whoever opens one waits for that. */
  readonly #closing = new Map<string, Promise<void>>();
  readonly #recent = new RecentMetadata();
  #closed = false;

  private constructor(context: StoreContext, open: Map<string, FileSessionLog>) {
    this.#context = context;
    this.#open = open;
  }

  static async open(options: FileSessionStoreOptions): Promise<FileSessionStore> {
    const { layout = 'cli', clock = systemClock, random = systemRandom, liveness = systemLiveness } = options;
    const { report = warnOnProcess } = options;
    const folder = resolve(options.folder);
    await ensureFolder(folder);
    const { restored, unsettled } = await onDisk('recover', folder, () =>
      recoverRedo({ folder, liveness, report }),
    );
    // With very many sessions listing the folder takes longest, so it is done once and meanwhile.
    const names = readdir(folder);
    const base = {
      folder,
      layout,
      clock,
      random,
      liveness,
      report,
      time: timeSource(clock),
      ulid: ulidSource(clock, random),
    };
    const open = new Map<string, FileSessionLog>();
    const holds = (session_id: string) => open.get(session_id)?.isExclusive ?? false;
    const [feed, index] = await Promise.all([
      Feed.open(join(folder, '.feed'), (error) =>
        warn(report, 'FEED_FAILED', `The feed of ${folder} could not be read.`, error),
      ),
      SessionIndex.open({ ...base, names, holds, read: (id) => readSummary(folder, layout, id, report) }),
    ]);
    await removeAbandoned(folder, await names, clock);
    removeDeadNotes(folder, liveness);
    const syncSessions = coalesce(() => syncFolder(folder));
    const pool = new HandlePool(OPEN_FILES);
    const redo = new RedoLog({ folder, owner: liveness.self, ulid: base.ulid, report });
    const note = new OwnerNote(folder, () => lockRecord(base), base.ulid);
    const store = new FileSessionStore({ ...base, feed, index, syncSessions, pool, redo, note }, open);
    redo.adopt(unsettled);
    for (const session_id of restored) await store.#tellOf(session_id);
    return store;
  }

  async create(session: NewSession = {}, contents: SessionContents = {}): Promise<SessionLog> {
    const birth = newBirth(session, await this.#parentOf(session), this.#context);
    return this.#write(draftSession(this.#context, birth, contents));
  }

  async open(session_id: string, { lease }: OpenOptions = {}): Promise<SessionLog> {
    const paths = this.#paths(session_id);
    await this.#closing.get(session_id);
    const taken = await takeSession(this.#context, session_id, paths, lease);
    return this.#start({ paths, ...taken, isUnsaved: !exists(paths.metadata) });
  }

  async fork(session_id: string, options: ForkOptions = {}): Promise<SessionLog> {
    const paths = this.#paths(session_id);
    const source = await loadSession(session_id, paths);
    return this.#write(await draftFork(this.#context, paths, source, options));
  }

  async has(session_id: string): Promise<boolean> {
    return exists(this.#paths(session_id).folder);
  }

  async resolve(prefix: string): Promise<string> {
    if (await this.has(checkSessionId(prefix))) return prefix;
    const { index, folder } = this.#context;
    await index.refresh();
    const matches = [...index.ids()].filter((id) => id.startsWith(prefix));
    const [only, second] = matches;
    if (only === undefined) throw notFound(prefix, join(folder, `${prefix}*`));
    if (second === undefined) return only;
    throw new SessionError(
      `${matches.length} sessions begin with ${prefix}, among them ${only} and ${second}. Give more of the id.`,
      { code: 'SESSION_AMBIGUOUS', origin: prefix },
    );
  }

  async metadata(session_id: string): Promise<SessionMetadata> {
    const known = this.#recent.get(session_id);
    if (known) return known;
    const glance = this.#recent.glance(this.#paths(session_id));
    const { metadata } = await this.#load(session_id);
    this.#recent.put(session_id, glance, metadata);
    return metadata;
  }

  async messages(session_id: string, range: Range = {}): Promise<TranscriptLine[]> {
    checkRange(range);
    const loaded = await this.#load(session_id);
    if (!('messages' in loaded)) return readMessages(this.#paths(session_id), loaded, range);
    const { after = 0, before = Number.POSITIVE_INFINITY, limit } = range;
    return loaded.messages.filter(({ seq }) => seq > after && seq < before).slice(0, limit);
  }

  async tail(session_id: string, count: number): Promise<TranscriptLine[]> {
    checkRange({ limit: count });
    const loaded = await this.#load(session_id);
    return 'messages' in loaded
      ? loaded.messages.slice(-count)
      : readTail(this.#paths(session_id), loaded, count);
  }

  async events(session_id: string, range: Range = {}): Promise<SessionEvent[]> {
    checkRange(range);
    const loaded = await this.#load(session_id);
    return 'messages' in loaded ? [] : readEvents(this.#paths(session_id), range);
  }

  async document<Name extends DocumentName>(
    session_id: string,
    name: Name,
  ): Promise<SessionDocuments[Name] | null> {
    const { folder } = this.#paths(session_id);
    const path = join(folder, DOCUMENT_FILES[name]);
    try {
      return parseDocument(name, await readFile(path, 'utf8'));
    } catch (error) {
      if (error instanceof SyntaxError) throw corrupt(path, null, 'this is not JSON', error);
      if (!isMissing(error)) throw error;
      if (!exists(folder)) throw notFound(session_id, folder);
      return null;
    }
  }

  async owner(session_id: string): Promise<SessionOwner | null> {
    const { folder } = this.#paths(session_id);
    if (!exists(folder)) throw notFound(session_id, folder);
    const record = WriterLock.holder(folder, this.#context.liveness);
    if (!record) return null;
    return { pid: record.process.pid, host: record.process.host, since: record.since, lease: record.lease };
  }

  list(query: SessionQuery = {}): Promise<SessionPage> {
    return this.#context.index.list(query);
  }

  children(parent_id: string): Promise<SessionSummary[]> {
    return this.#context.index.children(checkSessionId(parent_id));
  }

  childOfCall(parent_id: string, tool_call_id: string): Promise<string | null> {
    return this.#context.index.childOfCall(checkSessionId(parent_id), tool_call_id);
  }

  async orphaned(): Promise<SessionSummary[]> {
    const { index } = this.#context;
    await index.refresh();
    const orphans: SessionSummary[] = [];
    for (const { rev: _, pending: __, ...summary } of index
      .entries()
      .filter(({ status }) => status === 'active')) {
      if (!(await this.has(summary.session_id)) || (await this.owner(summary.session_id))) continue;
      // The index may trail: the session itself says whether it is still active.
      const { status } = await this.metadata(summary.session_id);
      if (status === 'active') orphans.push(summary);
    }
    return orphans;
  }

  recover(): Promise<string[]> {
    return recoverSessions(this.#context, (session_id) => this.open(session_id));
  }

  watch(session_id: string, options: WatchOptions = {}): AsyncIterable<SessionChange> {
    return watchSession(this.#context, session_id, this.#paths(session_id), options);
  }

  feed(options: { after?: string; signal?: AbortSignal } = {}): AsyncIterable<FeedItem> {
    return followFeed(this.#context, options);
  }

  async feedCursor(): Promise<string> {
    return formatCursor(await this.#context.feed.end(), 0);
  }

  send(letter: NewLetter): Promise<{ id: string }> {
    return sendLetter(this.#context, letter);
  }

  async letters(session_id: string): Promise<Letter[]> {
    const paths = this.#paths(session_id);
    if (!exists(paths.folder)) throw notFound(session_id, paths.folder);
    return readLetters(paths, (message) =>
      this.#context.report({ level: 'warning', code: 'LETTER_SKIPPED', message }),
    );
  }

  delete(session_id: string, options: DeleteOptions = {}): Promise<string[]> {
    checkSessionId(session_id);
    return onDisk('delete', this.#paths(session_id).folder, () =>
      deleteSession(this.#context, session_id, options),
    );
  }

  async restore(session_id: string): Promise<void> {
    await restoreDiscarded(this.#context, checkSessionId(session_id));
    await reindex(this.#context, session_id);
  }

  emptyTrash(older_than_days: number): Promise<string[]> {
    return emptyTrash(this.#context, older_than_days);
  }

  retain(policy: RetentionPolicy): Promise<RetentionReport> {
    return retainSessions(this.#context, policy);
  }

  async *export(session_id: string): AsyncGenerator<string> {
    const loaded = await this.#load(session_id);
    if ('messages' in loaded) throw foreign(session_id);
    const paths = this.#paths(session_id);
    const documents: SessionDocuments = {};
    for (const name of Object.keys(DOCUMENT_FILES) as DocumentName[]) {
      const document = await this.document(session_id, name);
      if (document !== null) Object.assign(documents, { [name]: document });
    }
    const events = await readEvents(paths, {});
    const messages = await readMessages(paths, loaded, {});
    yield* exportLines({ session_id, documents, events, messages, letters: await this.letters(session_id) });
  }

  async import(
    lines: AsyncIterable<string> | Iterable<string>,
    options: { session_id?: string } = {},
  ): Promise<string> {
    const log = await this.#write(await draftImport(lines, options));
    await log.close();
    return log.session_id;
  }

  async adopt(session_id: string): Promise<string> {
    const loaded = await this.#load(session_id);
    if (!('messages' in loaded)) return session_id;
    const [known] = (await this.list({ imported_from: session_id, limit: 1 })).sessions;
    if (known) return known.session_id;
    const { metadata, messages } = loaded;
    const { parent_id: _, root_id: __, session_id: ___, depth: ____, ...rest } = metadata;
    const birth = {
      ...newBirth(rest, null, this.#context),
      imported_from: { format: 'python-cli', session_id },
    };
    const contents = {
      messages: repairToolCalls(messages.map(({ seq: _, turn: __, ...message }) => message)),
    };
    const log = await this.#write(draftSession(this.#context, birth, contents));
    await log.close();
    return log.session_id;
  }

  /** Writes the index to `index.json` as it is now, instead of when its journal has grown. */
  compactIndex(): Promise<void> {
    return this.#context.index.compact();
  }

  rebuildIndex(): Promise<number> {
    return this.#context.index.rebuild();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#recent.clear();
    await Promise.all([...this.#open.values()].map((log) => log.close()));
    const { feed, index, pool, redo, note } = this.#context;
    await redo.close();
    await feed.close();
    await index.close();
    pool.close();
    note.remove();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #write(draft: Draft): Promise<FileSessionLog> {
    const written = await writeSession(this.#context, draft);
    const log = this.#start({ mended: [], isUnsaved: this.#context.layout === 'cli', ...written });
    log.publish('e', 0, written.stored.events_bytes);
    return log;
  }

  #start(parts: Omit<ConstructorParameters<typeof FileSessionLog>[0], 'store' | 'onClose'>): FileSessionLog {
    const log = new FileSessionLog({
      store: this.#context,
      onClose: (closed) => this.#whileClosing(log, closed),
      ...parts,
    });
    this.#open.set(log.session_id, log);
    return log;
  }

  #whileClosing(log: FileSessionLog, closed: Promise<void>): void {
    const { session_id } = log;
    this.#closing.set(session_id, closed);
    const end = () => {
      if (this.#open.get(session_id) === log) this.#open.delete(session_id);
      if (this.#closing.get(session_id) === closed) this.#closing.delete(session_id);
    };
    closed.then(end, end);
  }

  async #load(session_id: string): Promise<StoredSession | PythonSession> {
    const paths = this.#paths(session_id);
    try {
      return await onDisk('read', paths.folder, () => loadSession(session_id, paths));
    } catch (error) {
      if (hasCode(error, 'SESSION_FOREIGN')) return readPythonSession(paths.folder, session_id);
      throw error;
    }
  }

  async #parentOf({ parent_id, root_id, trace_id, depth }: NewSession): Promise<SessionBirth | null> {
    if (parent_id == null || (root_id !== undefined && trace_id !== undefined && depth !== undefined))
      return null;
    return (await this.has(parent_id)) ? this.metadata(parent_id) : null;
  }

  /** Says again what index and feed, which nobody flushes, may have lost with a dead process. A damaged session says so when it is opened. */
  async #tellOf(session_id: string): Promise<void> {
    const paths = this.#paths(session_id);
    try {
      await reindex(this.#context, session_id);
      if (!exists(paths.events)) return;
      await publishMissed(this.#context, session_id, await loadSession(session_id, paths));
    } catch (error) {
      warn(this.#context.report, 'SESSION_SKIPPED', errorInfo(error).message, error);
    }
  }

  #paths(session_id: string): SessionPaths {
    if (this.#closed)
      throw new SessionError('The session store is closed; open it again.', { code: 'LOG_CLOSED' });
    return sessionPaths(this.#context.folder, this.#context.layout, session_id);
  }
}

const warnOnProcess: Report = ({ code, message }) =>
  process.emitWarning(message, { type: 'AmplifierWarning', code });
