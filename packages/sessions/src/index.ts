export { SESSION_ERROR_CODES, type SessionErrorCode } from './error-codes.js';
export { FileRunQueue, type FileRunQueueOptions } from './files/file-run-queue.js';
export { FileSessionStore, type FileSessionStoreOptions } from './files/file-session-store.js';
export type { Layout } from './files/layout.js';
export { type LockRecord, WriterLock } from './files/writer-lock.js';
export { RECORD_EVENTS } from './fold-metadata.js';
export type { Letter, LetterKind, Mailbox, NewLetter } from './mailbox.js';
export { MemoryPlace } from './memory/memory-place.js';
export { MemoryRunQueue, type MemoryRunQueueOptions, MemoryRuns } from './memory/memory-run-queue.js';
export { MemorySessionStore, type MemorySessionStoreOptions } from './memory/memory-session-store.js';
export { type Liveness, type ProcessIdentity, systemLiveness } from './process-identity.js';
export { projectSlug } from './project-slug.js';
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
export type { LetterEffect, MendedLine, SessionLog } from './session-log.js';
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
export { checkTransition, isTerminal } from './status.js';
