import type { JsonObject, Usage } from '@amplifier/core';
import {
  type Database,
  type Durability,
  run,
  type SqlValue,
  type Work,
  type WriteOptions,
} from '../database/database.js';
import { MOST_JOINED } from '../defaults.js';
import { countEvents, countMessages, freezeMembers } from '../fold-metadata.js';
import type { MailItem } from '../mailbox.js';
import type { AppendedRecords, LogWriter } from '../record-log.js';
import type { SessionMetadata, TranscriptLine } from '../records.js';
import { fenced } from '../refusals.js';
import { hasCode, SessionError } from '../session-error.js';
import type { AppendOptions } from '../session-log.js';
import { mailTopic, TOPIC_FEED } from '../topic-names.js';
import type { SessionDraft } from './insert-session.js';
import { mailOf } from './mail.js';
import { lastTurn, segmentsOf } from './read-records.js';
import { foldValues, statusValues, updateFold } from './session-row.js';
import { addSpent } from './spent.js';
import {
  type DocumentText,
  type EventText,
  type MessageText,
  plansOf,
  storeDocument,
  storePlans,
  storeRecords,
  textsOf,
} from './write-records.js';

/** A session that this process may write, by the number of its row and the epoch of the right. */
export interface OwnedSession {
  /** Not known before a session that was created without waiting is stored. */
  n: number;
  /** Whose it is. */
  tenant: string;
  epoch: number;
  metadata: SessionMetadata;
}

/** A session that is not stored yet: its first batch inserts it. */
export interface Creation {
  draft: SessionDraft;
  topics: readonly string[];
  insert(draft: SessionDraft): Work<Pick<OwnedSession, 'n' | 'tenant'>>;
  onStored(): void;
}

const NOT_YET = Promise.resolve();

/** Appends that are written together. */
class Batch {
  readonly messages: MessageText[] = [];
  readonly events: EventText[] = [];
  readonly documents: DocumentText[] = [];
  /** What the row of their session says after them. Null while it may take more. */
  row: readonly SqlValue[] | null = null;
  status: readonly SqlValue[] | null = null;
  extra: JsonObject | null = null;
  readonly usage: { before: Usage; after: Usage };
  /** The session is given back with it. */
  isLast = false;
  /** It is being written. */
  isTaken = false;
  /** How many writes of this process there were with it. */
  place = 0;
  /** Resolves when it is as durable as its appends asked for. */
  done = NOT_YET;
  readonly options: WriteOptions;
  readonly creation: Creation | null;

  constructor(usage: Usage, options: WriteOptions, creation: Creation | null = null) {
    this.usage = { before: usage, after: usage };
    this.options = options;
    this.creation = creation;
  }
}

/** Who hears what becomes of a session. */
interface WriterListener {
  onWritten(): void;
  /** Its log is closed, and it could not be given back. */
  onUnfreed(): void;
}

/** Writes what is appended to one session. Each write checks in its first statement that nobody has taken over. */
export class SessionWriter implements LogWriter {
  readonly metadata: SessionMetadata;
  readonly epoch: number;
  readonly #database: Database;
  readonly #session: OwnedSession;
  readonly #time: () => string;
  readonly #hear: WriterListener;
  readonly #topics: readonly string[];
  #batch: Batch | null = null;
  /** As it was after the last append. */
  #last: Pick<SessionMetadata, 'status' | 'last_outcome' | 'extra' | 'usage'>;
  #failure: unknown;
  revoked: Error | null = null;
  /** The write that gives the session back. */
  #lastWrite: Promise<void> | null = null;

  constructor(
    database: Database,
    session: OwnedSession,
    time: () => string,
    hear: WriterListener,
    creation: Creation | null = null,
  ) {
    this.#database = database;
    this.#session = session;
    this.#time = time;
    this.#hear = hear;
    this.metadata = session.metadata;
    this.epoch = session.epoch;
    freezeMembers(session.metadata);
    const { session_id, status, last_outcome, extra, usage } = session.metadata;
    this.#topics = [session_id, TOPIC_FEED];
    this.#last = { status, last_outcome, extra, usage };
    if (creation) this.#create(creation);
  }

  /** Nothing that is not written yet will be. */
  revoke(error: Error): void {
    this.revoked ??= error;
    this.#failure ??= error;
  }

  /** Throws when an earlier write failed: the numbers given out and the rows are no longer the same. */
  requireRight(): void {
    if (this.revoked) throw this.revoked;
    if (this.#failure === undefined) return;
    if (hasCode(this.#failure, 'FENCED')) throw this.#failure;
    const { session_id } = this.#session.metadata;
    throw new SessionError(
      `An earlier write to session ${session_id} failed. Open the session again; everything before that write is safe.`,
      { code: 'LOG_BROKEN', origin: session_id, cause: this.#failure },
    );
  }

  append(records: AppendedRecords, options: AppendOptions): Promise<void> {
    const { trailing = false, durability = trailing ? 'process' : 'disk', last = false } = options;
    const { metadata } = this;
    const { messages, events, documents } = textsOf(records, metadata.session_id);
    // A batch before this one keeps what the metadata say before these are counted.
    const batch = this.#joined() ?? this.#begin({ trailing, durability });
    countMessages(metadata, records.messages ?? []);
    if (records.events) countEvents(metadata, records.events);
    if (records.events) freezeMembers(metadata);
    if (durability === 'disk') batch.options.durability = durability;
    if (!trailing) this.#database.commitSoon();
    // One by one: a call takes only so many arguments.
    for (const each of messages) batch.messages.push(each);
    for (const each of events) batch.events.push(each);
    for (const each of documents) batch.documents.push(each);
    if (last) {
      batch.isLast = true;
      this.#lastWrite = batch.done;
    }
    return batch.done;
  }

  async flush(durability: Durability): Promise<void> {
    const batch = this.#joined();
    if (batch) {
      if (durability === 'disk') batch.options.durability = durability;
      this.#database.commitSoon();
      await batch.done;
      return;
    }
    await this.#database.settled();
    if (durability === 'disk') await this.#database.sync();
  }

  /** With the last of what was appended. Does not wait for an append that was marked as the last. */
  async close(): Promise<void> {
    if (this.#lastWrite) {
      this.#lastWrite.catch(() => this.#free()).catch(() => {});
      return;
    }
    const batch = this.#joined();
    if (!batch) return this.#free();
    batch.isLast = true;
    this.#database.commitSoon();
    await batch.done.catch(() => this.#free());
  }

  pendingMail(): Promise<MailItem[]> {
    const { session_id } = this.metadata;
    // Before a session is stored its row has no number.
    const unstored = Number.isNaN(this.#session.n) ? [session_id] : [];
    return this.#database.read(
      () => mailOf(this.#session.n, session_id, this.metadata.mailbox_cursor),
      [mailTopic(session_id), ...unstored],
    );
  }

  lastTurn(): Promise<TranscriptLine[]> {
    const { session_id, message_count } = this.metadata;
    const session = this.#session;
    return this.#database.read(
      function* () {
        return yield* lastTurn(yield* segmentsOf(session.n), message_count, session_id);
      },
      [session_id],
    );
  }

  /** The batch that may take more: it is not written yet, and nothing else was asked for since. */
  #joined(): Batch | null {
    const batch = this.#batch;
    if (!batch || batch.isTaken || batch.place !== this.#database.writes) return null;
    return batch.messages.length + batch.events.length < MOST_JOINED ? batch : null;
  }

  #begin(options: AppendOptions): Batch {
    return this.#write(new Batch(this.#last.usage, { topics: this.#topics, ...options }));
  }

  /** The session itself and what it begins with. What follows at once joins it. */
  #create(creation: Creation): void {
    const { draft, topics } = creation;
    const batch = new Batch(this.#last.usage, { topics, trailing: true, durability: 'process' }, creation);
    batch.messages.push(...draft.messages);
    batch.events.push(...draft.events);
    batch.documents.push(...draft.documents);
    this.#write(batch).done.then(creation.onStored, () => {});
  }

  #write(batch: Batch): Batch {
    if (this.#batch) this.#seal(this.#batch);
    const written = this.#database.write(() => this.#store(batch), batch.options);
    batch.place = this.#database.writes;
    batch.done = written.then(this.#hear.onWritten, (error) => {
      this.#failure ??= error;
      throw this.revoked ?? error;
    });
    this.#batch = batch;
    return batch;
  }

  /** Keeps what the metadata say now: later appends go into another batch. */
  #seal(batch: Batch): void {
    if (batch.row) return;
    const { metadata } = this.#session;
    const { status, last_outcome, extra, usage } = metadata;
    const isChanged = status !== this.#last.status || last_outcome !== this.#last.last_outcome;
    batch.row = foldValues(metadata);
    if (isChanged || batch.creation) batch.status = statusValues(metadata);
    if (extra !== this.#last.extra) batch.extra = extra;
    batch.usage.after = usage;
    this.#last = { status, last_outcome, extra, usage };
  }

  *#store(batch: Batch): Work<void> {
    this.#seal(batch);
    batch.isTaken = true;
    // One before it was refused: whatever follows would leave a gap.
    if (this.#failure !== undefined) throw this.#failure;
    if (batch.creation) yield* this.#insert(batch, batch.creation);
    else yield* this.#update(batch);
    const { n, tenant } = this.#session;
    if (batch.extra)
      yield* storeDocument(n, { name: 'extra', body: JSON.stringify(batch.extra), plan: null });
    if (tenant !== '') yield* addSpent(this.#session, batch.usage, this.#time());
    if (this.revoked) throw this.revoked;
  }

  *#insert(
    { messages, events, documents, row, status, isLast }: Batch,
    { draft, insert }: Creation,
  ): Work<void> {
    const owner = isLast ? null : draft.owner;
    const plans = new Set([...draft.plans, ...plansOf(documents)]);
    const fold = [...(row ?? []), ...(status ?? [])];
    Object.assign(
      this.#session,
      yield* insert({ ...draft, messages, events, documents, plans, fold, owner }),
    );
  }

  *#update(batch: Batch): Work<void> {
    const { session_id, root_id } = this.#session.metadata;
    const { n } = this.#session;
    if (!(yield* updateFold(this.#session, batch))) throw fenced(`Session ${session_id}`);
    if (batch.documents.length > 0) yield* storePlans(plansOf(batch.documents));
    yield* storeRecords({ n, session_id, root_id }, batch.events, batch.messages);
    for (const document of batch.documents) yield* storeDocument(n, document);
  }

  async #free(): Promise<void> {
    // A session that was refused before it was stored has no owner.
    if (Number.isNaN(this.#session.n)) return;
    const { epoch, metadata } = this.#session;
    const free = 'UPDATE sessions SET owner = NULL WHERE n = ? AND epoch = ?';
    try {
      await this.#database.write(() => run(free, this.#session.n, epoch), {
        topics: [metadata.session_id],
        durability: 'process',
      });
    } catch (error) {
      // Whoever closes the record gives back everything at once.
      if (hasCode(error, 'LOG_CLOSED')) return;
      this.#hear.onUnfreed();
      throw error;
    }
  }
}
