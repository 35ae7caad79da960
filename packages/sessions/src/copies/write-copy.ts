import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '@amplifier/core';
import { all, type Database, get } from '../database/database.js';
import { FILE_MODE, FOLDER_MODE, READ_ROWS } from '../defaults.js';
import type { DocumentName, SessionMetadata } from '../records.js';
import {
  EVENT_ROWS,
  type EventRow,
  messageRows,
  parseDocument,
  parseEvent,
  readDocuments,
  segmentsOf,
} from '../sql/read-records.js';
import { findMetadata, type SessionRow } from '../sql/session-row.js';
import { appendLines } from './append-lines.js';
import { COPY_MARK, type CopyLayout, copyFolder } from './copy-layout.js';

const FILES: Record<DocumentName, string> = {
  launch: 'launch.json',
  mount_plan: 'mount_plan.json',
  bundle: 'bundle.md',
};

/** Brings the folder of a session up to what the record says. Returns the row that it shows. */
export async function writeCopy(
  database: Database,
  layout: CopyLayout,
  session_id: string,
): Promise<SessionRow> {
  const { row, metadata } = await database.read(() => findMetadata(session_id), [session_id]);
  const folder = copyFolder(layout, row.project, session_id);
  const made = await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
  if (made !== undefined) await writeFile(join(folder, COPY_MARK), '', { mode: FILE_MODE });
  const isDaemons = layout.metadata === 'session.json';
  await writeTranscript(database, row, join(folder, 'transcript.jsonl'), isDaemons ? withNulls : undefined);
  await writeEvents(database, row, join(folder, 'events.jsonl'));
  const documents = await database.read(() => readDocuments(row.n));
  const plan = (await layout.planOf?.(session_id)) ?? null;
  for (const document of documents)
    if (plan === null || document.name !== 'mount_plan')
      await replace(
        join(folder, FILES[document.name as DocumentName]),
        asText(parseDocument(document, session_id)),
      );
  if (plan) await replace(join(folder, FILES.mount_plan), asText(plan));
  const shown = isDaemons ? { ...metadata, ...daemonMembers(metadata) } : metadata;
  await replace(join(folder, layout.metadata), asText(shown));
  return row;
}

/** `session.json` says the same in the words of the daemon's API too, for whoever reads the file instead of asking. */
function daemonMembers(metadata: SessionMetadata): JsonObject {
  const { parent_id, created, started, ended, error, usage, token_count } = metadata;
  return {
    parent_session_id: parent_id,
    created_at: created,
    started_at: started,
    ended_at: ended,
    mount_plan_path: FILES.mount_plan,
    token_usage: usage.total_tokens > 0 ? usage.total_tokens : token_count,
    error_message: error?.message ?? null,
    error_details: error?.details ?? null,
  };
}

/** A message as the daemon's API shows it: what it does not have is null. */
function withNulls(body: string): string {
  const message = JSON.parse(body) as JsonObject;
  return JSON.stringify({
    ...message,
    agent: message.agent ?? null,
    token_count: message.token_count ?? null,
  });
}

async function writeTranscript(
  database: Database,
  row: SessionRow,
  path: string,
  asShown: (body: string) => string = (body) => body,
): Promise<void> {
  const segments = await database.read(() => segmentsOf(row.n));
  const end = row.message_count + 1;
  const read = (after: number, limit: number) =>
    database.read(() => messageRows(segments, after, end, limit));
  const shown = async (after: number) =>
    (await read(after, READ_ROWS)).map(({ seq, body }) => ({ seq, body: asShown(body) }));
  await appendLines(
    path,
    async (seq, id) => {
      const [stored] = await read(seq - 1, 1);
      return stored?.seq === seq && idOf(stored.body) === id;
    },
    (after) => pagesAfter(after, shown),
  );
}

async function writeEvents(
  database: Database,
  { n, session_id, event_count }: SessionRow,
  path: string,
): Promise<void> {
  const sql = `${EVENT_ROWS} WHERE e.session = ? AND e.seq > ? AND e.seq <= ? ORDER BY e.seq LIMIT ?`;
  const read = async (after: number) => {
    const rows = await database.read(() => all<EventRow>(sql, n, after, event_count, READ_ROWS));
    return rows.map((row) => ({
      seq: row.seq,
      body: row.plan === null ? row.body : JSON.stringify(parseEvent(row, session_id)),
    }));
  };
  await appendLines(
    path,
    async (seq, id) => {
      const stored = await database.read(() =>
        get<{ body: string }>('SELECT body FROM events WHERE session = ? AND seq = ?', n, seq),
      );
      return stored !== undefined && seq <= event_count && idOf(stored.body) === id;
    },
    (after) => pagesAfter(after, read),
  );
}

async function* pagesAfter(
  after: number,
  read: (after: number) => Promise<{ seq: number; body: string }[]>,
): AsyncGenerator<string[]> {
  for (let rows = await read(after); rows.length > 0; rows = await read(rows.at(-1)?.seq ?? 0))
    yield rows.map(({ body }) => body);
}

function idOf(body: string): unknown {
  return (JSON.parse(body) as { id?: unknown }).id;
}

function asText(document: object | string): string {
  return typeof document === 'string' ? document : `${JSON.stringify(document, null, 2)}\n`;
}

/** Whole or not at all, for whoever reads it. It is a copy: nobody waits for the disk. */
export async function replace(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}.part`;
  try {
    await writeFile(draft, text, { mode: FILE_MODE });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
