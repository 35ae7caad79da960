export { AnswerRoom } from './answer-room.js';
export { type CopyLayout, flatCopies, projectCopies } from './copies/copy-layout.js';
export { type CopyReport, copyRecord } from './copy-record.js';
export {
  all,
  type Database,
  get,
  type Presence,
  run,
  type SqlValue,
  type Statement,
  type VerifyReport,
  type Work,
  type WriteOptions,
} from './database/database.js';
export { quietClock } from './database/presence.js';
export { MIGRATIONS } from './database/schema.js';
export { Topics } from './database/topics.js';
export { MAX_ANSWER_CHARACTERS } from './defaults.js';
export { RECORD_EVENTS } from './fold-metadata.js';
export { followLiveText, hearLiveText } from './live/follow-live-text.js';
export { liveFolder } from './live/live-folder.js';
export { type LiveItem, type LivePart, LiveText } from './live/live-text.js';
export { tellLiveText } from './live/serve-live-text.js';
export type { Mailbox, MailItem, MailKind, NewMailItem } from './mailbox.js';
export {
  leaseHolder,
  openDatabase,
  openMemoryStore,
  openRunQueue,
  openSessionStore,
  openShelf,
  placeRecord,
  rebuildRecord,
  takeLease,
} from './open-record.js';
export { isJudgeable, type Liveness, type ProcessIdentity, systemLiveness } from './process-identity.js';
export { projectSlug } from './project-slug.js';
export type {
  DocumentName,
  NewEvent,
  NewMessage,
  NewSession,
  SessionContents,
  SessionCreation,
  SessionDocuments,
  SessionEvent,
  SessionFailure,
  SessionMetadata,
  SessionNode,
  SessionPatch,
  SessionSpend,
  SessionStatus,
  SessionSummary,
  StatusDetail,
  TranscriptLine,
} from './records.js';
export { type OpenToolCall, openToolCalls, repairToolCalls } from './repair-tool-calls.js';
export type {
  Backlog,
  Claim,
  ClaimOptions,
  NewRun,
  RunQuery,
  RunQueue,
  RunRecord,
  RunStatus,
} from './run-queue.js';
export { hasCode, SESSION_ERROR_CODES, SessionError, type SessionErrorCode } from './session-error.js';
export {
  checkSessionId,
  isSessionId,
  newTraceId,
  type RandomBytes,
  rootSessionId,
  subSessionId,
  ulidSource,
} from './session-ids.js';
export type { AppendOptions, MailEffect, SessionLog } from './session-log.js';
export type {
  DeleteOptions,
  FeedItem,
  ForkOptions,
  MessagePlace,
  OpenOptions,
  Range,
  RetentionPolicy,
  RetentionReport,
  SeenMessages,
  SessionChange,
  SessionOwner,
  SessionPage,
  SessionQuery,
  SessionStore,
} from './session-store.js';
export { SqlRunQueue, type SqlRunQueueOptions } from './sql/sql-run-queue.js';
export { SqlSessionStore } from './sql/sql-session-store.js';
export { SqlShelf } from './sql/sql-shelf.js';
export type { SqlSessionStoreOptions } from './sql/store-context.js';
export { checkTransition, isTerminal } from './status.js';
export { type RecordReport, verifyRecord } from './verify-record.js';
