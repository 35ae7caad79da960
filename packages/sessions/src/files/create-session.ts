import { linkSync, mkdirSync, renameSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { JsonObject } from '@amplifier/core';
import { FOLDER_MODE, REDO_RECORD_BYTES } from '../defaults.js';
import {
  countEvents,
  countMessages,
  newMetadata,
  RECORD_EVENTS,
  recordCount,
  summarize,
} from '../fold-metadata.js';
import { numberEvents, numberMessages } from '../number-records.js';
import type {
  DocumentName,
  SessionContents,
  SessionEvent,
  SessionMetadata,
  TranscriptLine,
} from '../records.js';
import { taken } from '../refusals.js';
import { SessionError } from '../session-error.js';
import { writeAllAt } from './descriptor.js';
import { flushSession } from './flush-session.js';
import { exists } from './folder.js';
import { DOCUMENT_FILES, pathsIn, type SessionPaths, sessionPaths } from './layout.js';
import { recordText } from './record-text.js';
import type { Frame } from './redo-frames.js';
import { errnoOf, storageError } from './storage-error.js';
import type { StoreContext } from './store-context.js';
import { type Base, type BirthData, type StoredSession, storedText } from './stored-session.js';
import { writeFresh } from './write-atomic.js';
import { documentText } from './write-document.js';
import { WriterLock } from './writer-lock.js';

/** A session's first files by name; null for one that another session has, too. */
type Files = Map<string, Buffer | null>;

/** What a folder is filled with before it becomes a session. */
export interface Draft {
  stored: StoredSession;
  events: readonly SessionEvent[];
  messages: readonly TranscriptLine[];
  documents: NonNullable<SessionContents['documents']>;
  /**
   * Files of another session to share, by the name they get here. A second name for a file that only grows costs the same
   * however long it is, and outlives the first.
   */
  shared: ReadonlyMap<string, string>;
  /** Further files with their text. */
  files?: ReadonlyMap<string, string>;
}

export function draftSession(
  store: StoreContext,
  data: BirthData,
  contents: SessionContents,
  shared: ReadonlyMap<string, string> = new Map(),
): Draft {
  const metadata = newMetadata(data, data.base);
  const first = { name: RECORD_EVENTS.CREATED, data: data as unknown as JsonObject, time: data.created };
  const events = numberEvents(store, metadata, [first, ...(contents.events ?? [])]);
  const messages = numberMessages(store, metadata, contents.messages ?? []);
  countEvents(metadata, events);
  countMessages(metadata, messages);
  const bases: readonly Base[] = data.base?.files ?? [];
  const stored = { metadata, bases, transcript_bytes: 0, events_bytes: 0 };
  return { stored, events, messages, documents: contents.documents ?? {}, shared };
}

/**
 * Brings a session into being: its folder is filled aside and then given its name, which can succeed once. The index
 * hears of it before, so that nobody who finds the folder misses it in the index.
 */
export async function writeSession(
  store: StoreContext,
  draft: Draft,
): Promise<{ paths: SessionPaths; stored: StoredSession; lock: WriterLock }> {
  const { metadata } = draft.stored;
  const { session_id } = metadata;
  const paths = sessionPaths(store.folder, store.layout, session_id);
  const aside = pathsIn(join(store.folder, `.new-${store.ulid()}`), store.layout);
  let isReserved = false;
  try {
    if (exists(paths.folder)) throw taken(session_id);
    const { stored, files } = fill(store, aside, draft);
    const lock = WriterLock.birth(aside.folder, paths.folder, store);
    const frames = birthFrames(session_id, lock.epoch, files);
    await reserve(store, metadata);
    isReserved = true;
    // Under its name it is whole: in the redo log, or in its folder.
    const isLogged = frames !== null && (await store.redo.commit(frames));
    if (!isLogged) await flushSession(aside.folder, true);
    renameSync(aside.folder, paths.folder);
    for (const log of LOGS) store.pool.rename(aside[log], paths[log]);
    if (!isLogged) await store.syncSessions();
    store.index.confirm(summarize(metadata), recordCount(metadata));
    return { paths, stored, lock };
  } catch (error) {
    for (const log of LOGS) store.pool.drop(aside[log]);
    await rm(aside.folder, { recursive: true, force: true });
    if (isReserved) await store.index.settle(session_id);
    const errno = errnoOf(error);
    if (errno === 'ENOTEMPTY' || errno === 'EEXIST') throw taken(session_id);
    throw storageError(error, 'create the session', paths.folder);
  }
}

async function reserve(store: StoreContext, metadata: SessionMetadata): Promise<void> {
  const { parent_id, tool_call_id } = metadata;
  const rival = await store.index.reserve(summarize(metadata), recordCount(metadata));
  if (rival !== null && parent_id !== null && tool_call_id !== null)
    throw answered(parent_id, tool_call_id, rival);
}

/**
 * What the redo log takes of a new session. Null when it must be flushed where it is: what it shares with another session
 * can only be flushed there, and something large is not worth writing twice.
 */
function birthFrames(session_id: string, epoch: number, files: Files): Frame[] | null {
  const frames: Frame[] = [];
  let size = 0;
  for (const [file, bytes] of files) {
    if (bytes === null) return null;
    size += bytes.length;
    frames.push({ session_id, file, offset: 0, bytes, epoch, born: files.size });
  }
  return size > REDO_RECORD_BYTES ? null : frames;
}

/** The logs stay open in the pool: to write them is what a new session does next. */
function fill(
  store: StoreContext,
  paths: SessionPaths,
  draft: Draft,
): { stored: StoredSession; files: Files } {
  const { folder } = paths;
  mkdirSync(folder, { mode: FOLDER_MODE });
  const events = Buffer.from(recordText(draft.events, paths.events));
  const transcript = Buffer.from(recordText(draft.messages, paths.transcript));
  writeAllAt(store.pool.create(paths.events), events, null);
  writeAllAt(store.pool.create(paths.transcript), transcript, null);
  const files: Files = new Map();
  for (const [name, document] of Object.entries(draft.documents) as [DocumentName, JsonObject | string][]) {
    if (document !== undefined) files.set(DOCUMENT_FILES[name], Buffer.from(documentText(name, document)));
  }
  for (const [name, text] of draft.files ?? []) files.set(name, Buffer.from(text));
  for (const [name, bytes] of files) if (bytes) writeFresh(join(folder, name), bytes);
  for (const [name, source] of draft.shared) {
    linkSync(source, join(folder, name));
    files.set(name, null);
  }
  files.set(basename(paths.events), events).set(basename(paths.transcript), transcript);
  const stored = {
    ...draft.stored,
    events_bytes: events.length,
    transcript_bytes: transcript.length,
  };
  // The daemon's layout promises this file from the beginning; elsewhere it is a cache, and made when there is more to say.
  if (store.layout === 'daemon') writeFresh(paths.metadata, storedText(stored, store.layout));
  return { stored, files };
}

const LOGS = ['events', 'transcript'] as const;

function answered(parent_id: string, tool_call_id: string, rival: string): SessionError {
  return new SessionError(
    `Tool call ${tool_call_id} of session ${parent_id} already has session ${rival}. Open that one instead.`,
    { code: 'SESSION_EXISTS', origin: rival },
  );
}
