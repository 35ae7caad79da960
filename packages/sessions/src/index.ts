export {
  all,
  allWithin,
  type Database,
  type Durability,
  get,
  type Presence,
  run,
  type SqlValue,
  type Statement,
  type Work,
  type WriteOptions,
} from './database/database.js';
export { isDead, recordClock } from './database/presence.js';
export { MIGRATIONS } from './database/schema.js';
export { Topics } from './database/topics.js';
export { incomplete } from './draft-session.js';
export { FEED_START, feedDistance } from './feed-cursor.js';
export { countEvents, countMessages, newMetadata, RECORD_EVENTS } from './fold-metadata.js';
export type * from './mailbox.js';
export {
  openDatabase,
  openMemoryStore,
  openRunQueue,
  openSessionStore,
  openShelf,
  placeRecord,
  recordExists,
  shareDatabase,
} from './open-record.js';
export { eventPages, feedPages, messagePages } from './read-pages.js';
export type * from './records.js';
export { checkCount, checkTenant, describeProcess } from './refusals.js';
export type * from './run-queue.js';
export { hasCode, SESSION_ERROR_CODES, SessionError, type SessionErrorCode } from './session-error.js';
export { checkSessionId, isSessionId } from './session-ids.js';
export type * from './session-log.js';
export type * from './session-store.js';
export { SET_ASIDE, setAside } from './set-aside.js';
export type { Shelf } from './shelf.js';
export { noteOf, putNote } from './sql/notes.js';
export { OwnProcess } from './sql/own-process.js';
export { documentName } from './sql/places.js';
export { eventsOf, messagesOf, wholeDocument } from './sql/read-records.js';
export type { SessionRow } from './sql/session-row.js';
export { SqlRunQueue } from './sql/sql-run-queue.js';
export { SqlSessionStore } from './sql/sql-session-store.js';
export { SqlShelf } from './sql/sql-shelf.js';
export type { RecordFollower, SqlSessionStoreOptions } from './sql/store-context.js';
export { isTerminal } from './status.js';
