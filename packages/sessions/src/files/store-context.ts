import type { Clock, Report } from '@amplifier/core';
import type { RecordSource } from '../number-records.js';
import type { Liveness } from '../process-identity.js';
import type { RandomBytes } from '../session-ids.js';
import type { Feed } from './feed.js';
import type { HandlePool } from './handle-pool.js';
import type { Layout } from './layout.js';
import type { OwnerNote } from './owner-note.js';
import type { RedoLog } from './redo-log.js';
import type { SessionIndex } from './session-index.js';

/** What the parts of one open store share. */
export interface StoreContext extends RecordSource {
  folder: string;
  layout: Layout;
  clock: Clock;
  random: RandomBytes;
  liveness: Liveness;
  report: Report;
  pool: HandlePool;
  redo: RedoLog;
  /** Says in every session that this process writes that it does. */
  note: OwnerNote;
  feed: Feed;
  index: SessionIndex;
  /** Flushes the folder that holds the sessions. */
  syncSessions: () => Promise<void>;
}

export function warn(report: Report, code: string, message: string, error: unknown): void {
  report({ level: 'warning', code, message, error });
}
