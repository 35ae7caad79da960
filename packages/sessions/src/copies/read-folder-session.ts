import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isPlainObject, type JsonObject, pairToolCalls } from '@amplifier/core';
import { RECORD_EVENTS } from '../fold-metadata.js';
import type { MailItem } from '../mailbox.js';
import type { NewMessage, SessionDocuments, SessionEvent, TranscriptLine } from '../records.js';
import type { ExportedSession } from '../session-store.js';
import { broken, readLines, readObject } from './read-lines.js';

/** A session in a folder that another program, or an earlier version of this one, wrote; null when there is none. */
export async function readFolderSession(folder: string, session_id: string): Promise<ExportedSession | null> {
  if (existsSync(join(folder, 'events.jsonl'))) return readEarlierSession(folder, session_id);
  return existsSync(join(folder, 'transcript.jsonl')) ? readPythonSession(folder, session_id) : null;
}

interface Base {
  files: { file: string; bytes: number }[];
}

/** What this program kept in files before it had a database. A fork's beginning is in further files. */
async function readEarlierSession(folder: string, session_id: string): Promise<ExportedSession> {
  const events = (await readLines(join(folder, 'events.jsonl'))) as unknown as SessionEvent[];
  const { base } = (events[0]?.data ?? {}) as { base?: Base };
  const messages: JsonObject[] = [];
  for (const { file, bytes } of base?.files ?? [])
    messages.push(...(await readLines(join(folder, file), { bytes })));
  messages.push(...(await readLines(join(folder, 'transcript.jsonl'))));
  let cursor = 0;
  // Where mail stood was counted in bytes.
  const mail = (await readLines(join(folder, 'mailbox.jsonl'))).map((item) => {
    cursor += Buffer.byteLength(JSON.stringify(item)) + 1;
    return { ...item, cursor };
  });
  return {
    session_id,
    documents: await readDocuments(folder),
    events,
    messages: messages.map(withoutNulls) as unknown as TranscriptLine[],
    mail: mail as unknown as MailItem[],
  };
}

/** A copy says null where a message has no agent or count; the record says nothing. */
function withoutNulls({ agent, token_count, ...message }: JsonObject): JsonObject {
  return {
    ...message,
    ...((agent ?? null) === null ? {} : { agent }),
    ...((token_count ?? null) === null ? {} : { token_count }),
  };
}

async function readDocuments(folder: string): Promise<SessionDocuments> {
  const launch = await readObject(join(folder, 'launch.json'));
  const mount_plan = await readObject(join(folder, 'mount_plan.json'));
  const bundle = await readFile(join(folder, 'bundle.md'), 'utf8').catch(() => null);
  return {
    ...(launch ? { launch } : {}),
    ...(mount_plan ? { mount_plan } : {}),
    ...(bundle === null ? {} : { bundle }),
  };
}

/** A session as the Python CLI leaves it: bare messages and `metadata.json`. Calls without results are closed. */
async function readPythonSession(folder: string, session_id: string): Promise<ExportedSession> {
  const raw = (await readObject(join(folder, 'metadata.json'))) ?? {};
  const path = join(folder, 'transcript.jsonl');
  const said = await readLines(path, { keepRest: true });
  const wrong = said.findIndex(({ role }) => typeof role !== 'string');
  if (wrong >= 0) throw broken(path, wrong + 1, 'it has no role');
  const text = (key: string) => (typeof raw[key] === 'string' ? (raw[key] as string) : null);
  const object = (key: string) => (isPlainObject(raw[key]) ? raw[key] : null);
  const created = new Date(text('created') ?? (await stat(folder)).birthtime).toISOString();
  const parent_id = text('parent_id');
  const data = {
    session_id,
    parent_id,
    root_id: parent_id ?? session_id,
    trace_id: text('trace_id') ?? '0'.repeat(32),
    depth: parent_id === null ? 0 : 1,
    agent_name: text('agent_name'),
    tool_call_id: null,
    parallel_group_id: null,
    created,
    project: null,
    working_dir: text('working_dir'),
    profile_name: text('profile') ?? text('bundle'),
    config: object('config'),
    agent_overlay: object('agent_overlay'),
    forked_from: null,
    imported_from: { format: 'python-cli', session_id },
    name: text('name'),
    model: text('model'),
    extra: {},
  };
  const about = { session_id, parent_id, root_id: data.root_id, time: created };
  const status = (seq: number, name: string) => ({
    seq,
    id: `${session_id}:event-${seq}`,
    ...about,
    name: RECORD_EVENTS.STATUS,
    data: { status: name },
  });
  let turn = 0;
  const repaired: NewMessage[] = pairToolCalls(said as unknown as NewMessage[]).flat();
  const messages = repaired.map((message, at): TranscriptLine => {
    if (message.role === 'user') turn++;
    const { content = '', timestamp = created } = message;
    return { id: `${session_id}:${at + 1}`, ...message, content, timestamp, seq: at + 1, turn };
  });
  return {
    session_id,
    documents: {},
    events: [
      { seq: 1, id: `${session_id}:event-1`, ...about, name: RECORD_EVENTS.CREATED, data },
      status(2, 'active'),
      status(3, 'completed'),
    ],
    messages,
    mail: [],
  };
}
