export { type CopyLayout, flatCopies, projectCopies } from './copies/copy-layout.js';
export type { Database, VerifyReport } from './database/database.js';
export { SESSION_ERROR_CODES, type SessionErrorCode } from './error-codes.js';
export { RECORD_EVENTS } from './fold-metadata.js';
export type { Letter, LetterKind, Mailbox, NewLetter } from './mailbox.js';
export {
  leaseHolder,
  openDatabase,
  openMemoryStore,
  openRunQueue,
  openSessionStore,
  takeLease,
} from './open-record.js';
export { isJudgeable, type Liveness, type ProcessIdentity, systemLiveness } from './process-identity.js';
export { projectSlug } from './project-slug.js';
export { rebuildRecord } from './rebuild-record.js';
export type {
  DocumentName,
  NewEvent,
  NewMessage,
  NewSession,
  SessionBirth,
  SessionContents,
  SessionDocuments,
  SessionEvent,
  SessionFailure,
  SessionMetadata,
  SessionPatch,
  SessionStatus,
  SessionSummary,
  StatusDetail,
  TranscriptLine,
} from './records.js';
export { type OpenToolCall, openToolCalls, repairToolCalls } from './repair-tool-calls.js';
export type {
  Claim,
  ClaimOptions,
  NewRun,
  RunQuery,
  RunQueue,
  RunRecord,
  RunStatus,
} from './run-queue.js';
export { hasCode, SessionError } from './session-error.js';
export {
  checkSessionId,
  isSessionId,
  newTraceId,
  type RandomBytes,
  rootSessionId,
  subSessionId,
  ulidSource,
} from './session-ids.js';
export type { AppendOptions, LetterEffect, SessionLog } from './session-log.js';
export type {
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
} from './session-store.js';
export { countTurns, sliceToTurn } from './slice-turns.js';
export { SqlRunQueue, type SqlRunQueueOptions } from './sql/sql-run-queue.js';
export { SqlSessionStore } from './sql/sql-session-store.js';
export type { SqlSessionStoreOptions } from './sql/store-context.js';
export { checkTransition, isTerminal } from './status.js';
export { type RecordReport, verifyRecord } from './verify-record.js';
