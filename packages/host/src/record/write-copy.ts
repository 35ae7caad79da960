import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '@amplifier/core';
import type { DocumentName, SessionMetadata, SessionStore, TranscriptLine } from '@amplifier/sessions';
import { appendLines } from './append-lines.js';
import { COPY_MARK, type CopyLayout, copyFolder } from './copy-layout.js';
import { COPY_BYTES, FILE_MODE, FOLDER_MODE } from './defaults.js';

const FILES: Record<DocumentName, string> = {
  launch: 'launch.json',
  mount_plan: 'mount_plan.json',
  bundle: 'bundle.md',
};

/** Brings the folder of a session up to what the record says. Returns the metadata that it shows. */
export async function writeCopy(
  store: SessionStore,
  layout: CopyLayout,
  session_id: string,
): Promise<SessionMetadata> {
  const metadata = await store.metadata(session_id);
  const folder = copyFolder(layout, metadata.project, session_id);
  const made = await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
  if (made !== undefined) await writeFile(join(folder, COPY_MARK), '', { mode: FILE_MODE });
  const { message_count, event_count } = metadata;
  const isDaemons = layout.metadata === 'session.json';
  await bringUp(join(folder, 'transcript.jsonl'), message_count, async (after, limit) => {
    const messages = await store.messages(session_id, { after, limit, bytes: COPY_BYTES });
    return isDaemons ? messages.map(withNulls) : messages;
  });
  await bringUp(join(folder, 'events.jsonl'), event_count, (after, limit) =>
    store.events(session_id, { after, limit, bytes: COPY_BYTES }),
  );
  const plan = (await layout.planOf?.(session_id)) ?? null;
  for (const [name, file] of Object.entries(FILES) as [DocumentName, string][]) {
    const document = plan !== null && name === 'mount_plan' ? plan : await store.document(session_id, name);
    if (document != null) await replace(join(folder, file), asText(document));
  }
  const shown = isDaemons ? { ...metadata, ...daemonMembers(metadata) } : metadata;
  await replace(join(folder, layout.metadata), asText(shown));
  return metadata;
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

/** Brings a file up to the first `count` records of a log. */
async function bringUp(
  path: string,
  count: number,
  read: (after: number, limit: number) => Promise<readonly { seq: number; id: string }[]>,
): Promise<void> {
  const knows = async (seq: number, id: unknown) =>
    seq <= count && (await read(seq - 1, 1)).some((stored) => stored.id === id);
  await appendLines(path, knows, async function* (after) {
    for (let at = after; at < count; ) {
      const records = await read(at, count - at);
      at = records.at(-1)?.seq ?? count;
      yield records.map((record) => JSON.stringify(record));
    }
  });
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
