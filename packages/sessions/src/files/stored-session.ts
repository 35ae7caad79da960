import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isPlainObject } from '@amplifier/core';
import { foldEvents, foldMessages, newMetadata, RECORD_EVENTS } from '../fold-metadata.js';
import type {
  SessionBirth,
  SessionEvent,
  SessionMetadata,
  SessionPatch,
  TranscriptLine,
} from '../records.js';
import { SessionError } from '../session-error.js';
import { exists } from './folder.js';
import { DOCUMENT_FILES, type Layout, type SessionPaths } from './layout.js';
import { withLines } from './line-file.js';
import { corrupt, isMissing } from './storage-error.js';

/** The beginning of a transcript that a fork shares with its source: the first `bytes` of a file that only grows. */
export interface Base {
  file: string;
  bytes: number;
}

/** What `session:created` holds: all that a session is born with. */
export type BirthData = SessionBirth &
  SessionPatch & { base?: { files: Base[]; messages: number; turns: number } };

/** A session's metadata, and how much of its files it accounts for. */
export interface StoredSession {
  metadata: SessionMetadata;
  bases: readonly Base[];
  transcript_bytes: number;
  events_bytes: number;
}

/** Reads the cached metadata and adds what the logs have beyond it. */
export async function loadSession(session_id: string, paths: SessionPaths): Promise<StoredSession> {
  const cached = readCache(paths.metadata);
  try {
    return await addMessages(paths, await addEvents(session_id, paths, cached));
  } catch (error) {
    if (isMissing(error)) throw await absence(session_id, paths);
    throw error;
  }
}

export function storedText(stored: StoredSession, layout: Layout): string {
  const { metadata, bases, transcript_bytes, events_bytes } = stored;
  const shown = layout === 'daemon' ? { ...metadata, ...daemonMembers(metadata) } : metadata;
  const storage = { bases, transcript_bytes, events_bytes };
  return `${JSON.stringify({ ...shown, storage }, null, 2)}\n`;
}

/** `session.json` says the same in the words of the daemon's API too, for whoever reads the file instead of asking. */
function daemonMembers(metadata: SessionMetadata): Record<(typeof DAEMON_MEMBERS)[number], unknown> {
  return {
    parent_session_id: metadata.parent_id,
    created_at: metadata.created,
    started_at: metadata.started,
    ended_at: metadata.ended,
    mount_plan_path: DOCUMENT_FILES.mount_plan,
    error_message: metadata.error?.message ?? null,
    error_details: metadata.error?.details ?? null,
  };
}

const DAEMON_MEMBERS = [
  'parent_session_id',
  'created_at',
  'started_at',
  'ended_at',
  'mount_plan_path',
  'error_message',
  'error_details',
] as const;

function readCache(path: string): StoredSession | null {
  try {
    const parsed: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (!isPlainObject(parsed) || parsed.version !== 1 || !isPlainObject(parsed.storage)) return null;
    const { storage, ...metadata } = parsed;
    for (const member of DAEMON_MEMBERS) delete metadata[member];
    return {
      metadata: metadata as unknown as SessionMetadata,
      ...(storage as Omit<StoredSession, 'metadata'>),
    };
  } catch (error) {
    if (error instanceof SyntaxError || isMissing(error)) return null;
    throw error;
  }
}

function addEvents(
  session_id: string,
  paths: SessionPaths,
  cached: StoredSession | null,
): Promise<StoredSession> {
  return withLines<SessionEvent, StoredSession>(paths.events, undefined, async (file) => {
    let stored = cached;
    if (stored && file.end < stored.events_bytes)
      throw shortened(paths.events, stored.events_bytes, file.end);
    for await (const { value, end } of file.forward(stored?.events_bytes ?? 0)) {
      stored ??= born(value, paths.events);
      if (value.seq !== stored.metadata.event_count + 1) {
        throw corrupt(paths.events, null, `event ${value.seq} follows event ${stored.metadata.event_count}`);
      }
      stored = { ...stored, metadata: foldEvents(stored.metadata, [value]), events_bytes: end };
    }
    if (stored === null) throw corrupt(paths.events, 1, `session ${session_id} has no first event`);
    return stored;
  });
}

function addMessages(paths: SessionPaths, stored: StoredSession): Promise<StoredSession> {
  return withLines<TranscriptLine, StoredSession>(paths.transcript, undefined, async (file) => {
    const { transcript_bytes } = stored;
    if (file.end < transcript_bytes) throw shortened(paths.transcript, transcript_bytes, file.end);
    let result = stored;
    for await (const { value, start, end } of file.forward(transcript_bytes)) {
      const { message_count } = result.metadata;
      if (value.seq !== message_count + 1) {
        const line = await file.lineNumber(start);
        throw corrupt(paths.transcript, line, `message ${value.seq} follows message ${message_count}`);
      }
      result = { ...result, metadata: foldMessages(result.metadata, [value]), transcript_bytes: end };
    }
    return result;
  });
}

function born(first: SessionEvent, file: string): StoredSession {
  if (first.name !== RECORD_EVENTS.CREATED) {
    throw corrupt(file, 1, `the first event is ${first.name}, not ${RECORD_EVENTS.CREATED}`);
  }
  const birth = first.data as unknown as BirthData;
  const { base } = birth;
  const metadata = newMetadata(birth, base);
  return { metadata, bases: base?.files ?? [], transcript_bytes: 0, events_bytes: 0 };
}

function shortened(file: string, recorded: number, actual: number): Error {
  return corrupt(
    file,
    null,
    `the file has ${actual} bytes in whole lines and had ${recorded} before, so something has cut it`,
  );
}

async function absence(session_id: string, paths: SessionPaths): Promise<Error> {
  if (!exists(paths.folder)) return notFound(session_id, paths.folder);
  if (exists(paths.events)) return corrupt(paths.transcript, null, 'the file is missing');
  if (exists(join(paths.folder, 'transcript.jsonl'))) return foreign(session_id);
  return corrupt(paths.events, null, 'the file is missing');
}

export function notFound(session_id: string, folder: string): SessionError {
  return new SessionError(
    `There is no session ${session_id} (looked for ${folder}). It may have been deleted; list the sessions to see which there are.`,
    { code: 'SESSION_NOT_FOUND', origin: session_id },
  );
}

export function foreign(session_id: string): SessionError {
  return new SessionError(
    `Session ${session_id} was written by the Python CLI. It can be read as it is; to go on with it, adopt it, which makes a new session and leaves this one alone.`,
    { code: 'SESSION_FOREIGN', origin: session_id },
  );
}
