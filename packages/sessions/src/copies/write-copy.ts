import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '@amplifier/core';
import { COPY_BYTES, FILE_MODE, FOLDER_MODE } from '../defaults.js';
import type { DocumentName, SessionMetadata, TranscriptLine } from '../records.js';
import type { SqlSessionStore } from '../sql/sql-session-store.js';
import { appendLines, type LinesEnd } from './append-lines.js';
import { COPY_MARK, type CopyLayout, copyFolder } from './copy-layout.js';
import { publicPlanForm } from './public-plan-form.js';

const FILES: Record<DocumentName, string> = {
  launch: 'launch.json',
  mount_plan: 'mount_plan.json',
  bundle: 'bundle.md',
};

/** What was last written of a session, so that only what has changed since is written. */
export interface WrittenCopy {
  folder: string;
  transcript: LinesEnd;
  events: LinesEnd;
  documents: string;
}

/**
 * Brings the folder of a session up to what the record says. `before`: what this process has written there. Returns the metadata that the
 * folder shows, or null if it became too late before all was written; the next call continues.
 */
export async function writeCopy(
  store: SqlSessionStore,
  layout: CopyLayout,
  session_id: string,
  isLate: () => boolean,
  before?: WrittenCopy,
): Promise<{ metadata: SessionMetadata; written: WrittenCopy } | null> {
  const metadata = await store.metadata(session_id);
  const folder = before?.folder ?? (await makeFolder(layout, metadata));
  const { message_count, event_count } = metadata;
  const isDaemons = layout.metadata === 'session.json';
  const file = (name: string, count: number, left: LinesEnd | undefined, read: ReadAfter) =>
    left?.seq === count ? left : bringUp(join(folder, name), { count, left, isLate }, read);
  const transcript = await file(
    'transcript.jsonl',
    message_count,
    before?.transcript,
    async (after, limit) => {
      const messages = await store.messages(session_id, { after, limit, bytes: COPY_BYTES });
      return isDaemons ? messages.map(withNulls) : messages;
    },
  );
  const events = await file('events.jsonl', event_count, before?.events, (after, limit) =>
    store.events(session_id, { after, limit, bytes: COPY_BYTES }),
  );
  if (isLate()) return null;
  const documents = await store.documentsDigest(session_id);
  if (documents !== before?.documents) await writeDocuments(store, layout, session_id, folder);
  const shown = isDaemons ? { ...metadata, ...daemonMembers(metadata) } : metadata;
  await replace(join(folder, layout.metadata), asText(shown));
  return { metadata, written: { folder, transcript, events, documents } };
}

async function makeFolder(layout: CopyLayout, { project, session_id }: SessionMetadata): Promise<string> {
  const folder = copyFolder(layout, project ?? null, session_id);
  const made = await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
  if (made !== undefined) await writeFile(join(folder, COPY_MARK), '', { mode: FILE_MODE });
  return folder;
}

async function writeDocuments(
  store: SqlSessionStore,
  layout: CopyLayout,
  session_id: string,
  folder: string,
): Promise<void> {
  const plan = (await layout.planOf?.(session_id)) ?? null;
  for (const [name, file] of Object.entries(FILES) as [DocumentName, string][]) {
    const document = plan !== null && name === 'mount_plan' ? plan : await store.document(session_id, name);
    if (document == null) continue;
    const shown = name === 'mount_plan' ? publicPlanForm(document as JsonObject) : document;
    await replace(join(folder, file), asText(shown));
  }
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
function withNulls({ agent, token_count, ...message }: TranscriptLine) {
  return { ...message, agent: agent ?? null, token_count: token_count ?? null };
}

/** Records of a log after a seq, at most so many. */
type ReadAfter = (after: number, limit: number) => Promise<readonly { seq: number; id: string }[]>;

/** Brings a file up to the first `count` records of a log, or as far as there is time. */
function bringUp(
  path: string,
  { count, left, isLate }: { count: number; left: LinesEnd | undefined; isLate: () => boolean },
  read: ReadAfter,
): Promise<LinesEnd> {
  const knows = async (seq: number, id: unknown) =>
    seq <= count && (await read(seq - 1, 1)).some((stored) => stored.id === id);
  return appendLines(path, { last: count, left }, knows, async function* (after) {
    for (let at = after; at < count && !isLate(); ) {
      const records = await read(at, count - at);
      at = records.at(-1)?.seq ?? count;
      yield records.map((record) => JSON.stringify(record));
    }
  });
}

function asText(document: object | string): string {
  return typeof document === 'string' ? document : `${JSON.stringify(document, null, 2)}\n`;
}

let drafts = 0;

/** Replaces a file at once, without a sync: it is a copy. Several stores of a process may write the same file. */
export async function replace(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}-${++drafts}.part`;
  try {
    await writeFile(draft, text, { mode: FILE_MODE });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
