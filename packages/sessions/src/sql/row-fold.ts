import type { Fold, SqlValue, Work } from '../database/database.js';
import type { SessionMetadata } from '../records.js';
import { fenced } from '../refusals.js';
import { foldValues, updateFold } from './session-row.js';

/** A session that this process may write, by the number of its row and the epoch of the right. */
export interface OwnedSession {
  n: number;
  /** Whose it is. */
  tenant: string;
  epoch: number;
  metadata: SessionMetadata;
}

/** The row of a session, which follows from its appends. */
export class RowFold {
  readonly #session: OwnedSession;
  /** After the last append. */
  #status: string;
  /** Of each append that is not known to be committed: does it change the status? */
  readonly #unsaved: boolean[] = [];

  constructor(session: OwnedSession) {
    this.#session = session;
    this.#status = session.metadata.status;
  }

  /** Something was appended: what its commit does to the row. */
  append(of: object): Fold {
    const { metadata } = this.#session;
    const row = foldValues(metadata);
    this.#unsaved.push(metadata.status !== this.#status);
    this.#status = metadata.status;
    return { of, work: () => this.#update(row) };
  }

  /** The oldest append that was not known to be committed is. */
  committed(): void {
    this.#unsaved.shift();
  }

  *#update(row: readonly SqlValue[]): Work<void> {
    if (yield* updateFold(this.#session, row, this.#unsaved.includes(true))) return;
    throw fenced(`Session ${this.#session.metadata.session_id}`);
  }
}
