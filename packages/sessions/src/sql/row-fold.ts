import type { Fold, SqlValue, Work } from '../database/database.js';
import type { SessionMetadata } from '../records.js';
import { fenced } from '../refusals.js';
import { changedColumns, foldValues, updateFold } from './session-row.js';

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
  /** The row after the last append. */
  #row: readonly SqlValue[];
  /** Which columns each append changes that is not known to be committed. */
  readonly #unsaved: number[] = [];

  constructor(session: OwnedSession) {
    this.#session = session;
    this.#row = foldValues(session.metadata);
  }

  /** Something was appended: what its commit does to the row. */
  append(of: object): Fold {
    const row = foldValues(this.#session.metadata);
    this.#unsaved.push(changedColumns(this.#row, row));
    this.#row = row;
    return { of, work: () => this.#update(row) };
  }

  /** The oldest append that was not known to be committed is. */
  committed(): void {
    this.#unsaved.shift();
  }

  *#update(row: readonly SqlValue[]): Work<void> {
    const changed = this.#unsaved.reduce((all, each) => all | each, 0);
    if (yield* updateFold(this.#session, row, changed)) return;
    throw fenced(`Session ${this.#session.metadata.session_id}`);
  }
}
