import type { JsonObject, Usage } from '@amplifier/core';
import { type Database, run, type SqlValue, type Work } from '../database/database.js';
import { MOST_JOINED } from '../defaults.js';
import type { SessionMetadata } from '../records.js';
import { fenced } from '../refusals.js';
import { hasCode, SessionError } from '../session-error.js';
import type { AppendOptions } from '../session-log.js';
import { foldValues, updateFold } from './session-row.js';
import { addSpent } from './spent.js';
import { TOPIC_FEED, TOPIC_MESSAGES } from './topic-names.js';
import {
  type DocumentText,
  type EventText,
  type MessageText,
  plansOf,
  storeDocument,
  storeEvents,
  storeMessages,
  storePlans,
} from './write-records.js';

/** A session that this process may write, by the number of its row and the epoch of the right. */
export interface OwnedSession {
  n: number;
  /** Whose it is. */
  tenant: string;
  epoch: number;
  metadata: SessionMetadata;
}

const NOT_YET = Promise.resolve();

/** Appends that are written together, with what the row of their session says after them. */
class Batch {
  readonly messages: MessageText[] = [];
  readonly events: EventText[] = [];
  readonly documents: DocumentText[] = [];
  row: readonly SqlValue[] = [];
  isOtherStatus = false;
  extra: JsonObject | null = null;
  readonly usage: { before: Usage; after: Usage };
  /** The session is given back with it. */
  isLast = false;
  /** It is being written. */
  isTaken = false;
  /** How many writes of this process there were with it. */
  place = 0;
  done = NOT_YET;

  constructor(usage: Usage) {
    this.usage = { before: usage, after: usage };
  }
}

type Records = Partial<Pick<Batch, 'messages' | 'events' | 'documents'>>;

/** Writes what is appended to one session. Each write checks in its first statement that nobody has taken over. */
export class SessionWriter {
  readonly #database: Database;
  readonly #session: OwnedSession;
  readonly #time: () => string;
  readonly #onWritten: () => void;
  readonly #topics: readonly string[];
  #batch: Batch | null = null;
  /** As it was after the last append. */
  #last: Pick<SessionMetadata, 'status' | 'extra' | 'usage'>;
  #failure: unknown;

  constructor(database: Database, session: OwnedSession, time: () => string, onWritten: () => void) {
    this.#database = database;
    this.#session = session;
    this.#time = time;
    this.#onWritten = onWritten;
    const { session_id, status, extra, usage } = session.metadata;
    this.#topics = [session_id, TOPIC_FEED, TOPIC_MESSAGES];
    this.#last = { status, extra, usage };
  }

  /** Throws when an earlier write failed: the numbers given out and the rows are no longer the same. */
  requireRight(): void {
    if (this.#failure === undefined) return;
    if (hasCode(this.#failure, 'FENCED')) throw this.#failure;
    const { session_id } = this.#session.metadata;
    throw new SessionError(
      `An earlier write to session ${session_id} failed. Open the session again; everything before that write is safe.`,
      { code: 'LOG_BROKEN', origin: session_id, cause: this.#failure },
    );
  }

  /** The metadata have counted these already. Resolves when they are durable. */
  append({ messages, events, documents }: Records, { trailing = false }: AppendOptions = {}): Promise<void> {
    const batch = this.#joined() ?? this.#begin(trailing);
    if (!trailing) this.#database.commitSoon();
    // One by one: a call takes only so many arguments.
    for (const each of messages ?? []) batch.messages.push(each);
    for (const each of events ?? []) batch.events.push(each);
    for (const each of documents ?? []) batch.documents.push(each);
    const { status, extra, usage } = this.#session.metadata;
    batch.row = foldValues(this.#session.metadata);
    batch.isOtherStatus ||= status !== this.#last.status;
    if (extra !== this.#last.extra) batch.extra = extra;
    batch.usage.after = usage;
    this.#last = { status, extra, usage };
    return batch.done;
  }

  /** Resolves when everything before is durable. */
  async flush(): Promise<void> {
    const batch = this.#joined();
    if (batch) this.#database.commitSoon();
    await (batch?.done ?? this.#database.settled());
  }

  /** Gives the session back, with the last of what was appended. */
  async close(): Promise<void> {
    const batch = this.#joined();
    if (!batch) return this.#free();
    batch.isLast = true;
    this.#database.commitSoon();
    await batch.done.catch(() => this.#free());
  }

  /** The batch that may take more: it is not written yet, and nothing else was asked for since. */
  #joined(): Batch | null {
    const batch = this.#batch;
    if (!batch || batch.isTaken || batch.place !== this.#database.writes) return null;
    return batch.messages.length + batch.events.length < MOST_JOINED ? batch : null;
  }

  #begin(trailing: boolean): Batch {
    const batch = new Batch(this.#last.usage);
    const written = this.#database.write(() => this.#store(batch), { topics: this.#topics, trailing });
    batch.place = this.#database.writes;
    batch.done = written.then(this.#onWritten, (error) => {
      this.#failure ??= error;
      throw error;
    });
    this.#batch = batch;
    return batch;
  }

  *#store(batch: Batch): Work<void> {
    batch.isTaken = true;
    // One before it was refused: whatever follows would leave a gap.
    if (this.#failure !== undefined) throw this.#failure;
    const { session_id } = this.#session.metadata;
    const { n, tenant } = this.#session;
    const stored = { n, session_id };
    if (!(yield* updateFold(this.#session, batch))) throw fenced(`Session ${session_id}`);
    if (batch.documents.length > 0) yield* storePlans(plansOf(batch.documents));
    yield* storeEvents(stored, batch.events);
    yield* storeMessages(stored, batch.messages);
    for (const document of batch.documents) yield* storeDocument(n, document);
    if (batch.extra)
      yield* storeDocument(n, { name: 'extra', body: JSON.stringify(batch.extra), plan: null });
    if (tenant !== '') yield* addSpent(this.#session, batch.usage, this.#time());
  }

  async #free(): Promise<void> {
    const { n, epoch, metadata } = this.#session;
    const free = 'UPDATE sessions SET owner = NULL WHERE n = ? AND epoch = ?';
    try {
      await this.#database.write(() => run(free, n, epoch), { topics: [metadata.session_id] });
    } catch (error) {
      // Whoever closes the record gives back everything at once.
      if (!hasCode(error, 'LOG_CLOSED')) throw error;
    }
  }
}
