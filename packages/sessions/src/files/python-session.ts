import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isPlainObject, type JsonObject } from '@amplifier/core';
import { newMetadata, summarize } from '../fold-metadata.js';
import type { SessionMetadata, SessionSummary, TranscriptLine } from '../records.js';
import { withLines } from './line-file.js';
import { corrupt, isMissing } from './storage-error.js';

/** A session as the Python CLI leaves it: `transcript.jsonl` with bare messages and `metadata.json`. Only ever read. */
export interface PythonSession {
  metadata: SessionMetadata;
  messages: TranscriptLine[];
}

export async function readPythonSession(folder: string, session_id: string): Promise<PythonSession> {
  const metadata = await readMetadata(folder, session_id);
  const messages: TranscriptLine[] = [];
  let turn = 0;
  // A last line without a line break is whole there: that program writes files in one piece.
  for (const message of await readTranscript(join(folder, 'transcript.jsonl'))) {
    if (message.role === 'user') turn++;
    const seq = messages.length + 1;
    const { timestamp = metadata.created, content = '' } = message;
    messages.push({
      id: `${session_id}:${seq}`,
      ...message,
      content,
      timestamp,
      seq,
      turn,
    } as TranscriptLine);
  }
  return { metadata: { ...metadata, message_count: messages.length, turn_count: turn }, messages };
}

/** What a listing says of it. The counts come from its metadata, where it keeps them, without reading the transcript. */
export async function summarizePythonSession(
  folder: string,
  session_id: string,
): Promise<SessionSummary | null> {
  try {
    const metadata = await readMetadata(folder, session_id);
    await stat(join(folder, 'transcript.jsonl'));
    return { ...summarize(metadata), foreign: true };
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

async function readTranscript(path: string): Promise<JsonObject[]> {
  return withLines<JsonObject, JsonObject[]>(path, undefined, async (file) => {
    const messages: JsonObject[] = [];
    for await (const { value, start } of file.forward()) {
      if (typeof value.role !== 'string') {
        throw corrupt(path, await file.lineNumber(start), 'this is not a message: it has no role');
      }
      messages.push(value);
    }
    const rest = (await file.torn()).trim();
    if (rest !== '') messages.push(parseRest(rest, path, messages.length + 1));
    return messages;
  });
}

function parseRest(text: string, path: string, line: number): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isPlainObject(value) && typeof value.role === 'string') return value;
  } catch (error) {
    throw corrupt(path, line, 'this line is not JSON', error);
  }
  throw corrupt(path, line, 'this is not a message');
}

async function readMetadata(folder: string, session_id: string): Promise<SessionMetadata> {
  const path = join(folder, 'metadata.json');
  const raw = await readRaw(path);
  const text = (key: string) => (typeof raw[key] === 'string' ? (raw[key] as string) : null);
  const object = (key: string) => (isPlainObject(raw[key]) ? raw[key] : null);
  const count = (key: string) => (Number.isInteger(raw[key]) ? (raw[key] as number) : 0);
  const parent_id = text('parent_id');
  const created = text('created') ?? (await stat(folder)).birthtime.toISOString();
  const metadata = newMetadata({
    session_id,
    parent_id,
    root_id: parent_id ?? session_id,
    trace_id: text('trace_id') ?? '0'.repeat(32),
    depth: parent_id === null ? 0 : 1,
    agent_name: text('agent_name'),
    tool_call_id: null,
    parallel_group_id: null,
    created: new Date(created).toISOString(),
    working_dir: text('working_dir'),
    profile_name: text('profile') ?? text('bundle'),
    config: object('config'),
    agent_overlay: object('agent_overlay'),
    forked_from: null,
    imported_from: null,
    name: text('name'),
    model: text('model'),
  });
  return {
    ...metadata,
    status: 'completed',
    turn_count: count('turn_count'),
    message_count: count('message_count'),
  };
}

async function readRaw(path: string): Promise<JsonObject> {
  const content = await readFile(path, 'utf8').catch((error) => {
    if (isMissing(error)) return '{}';
    throw error;
  });
  try {
    const raw: unknown = JSON.parse(content);
    if (isPlainObject(raw)) return raw;
  } catch (error) {
    throw corrupt(path, null, 'this is not JSON', error);
  }
  throw corrupt(path, null, 'this is not a JSON object');
}
