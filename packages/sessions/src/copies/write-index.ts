import { COPY_INDEX_SESSIONS } from '../defaults.js';
import type { SessionSummary } from '../records.js';
import type { SessionStore } from '../session-store.js';
import type { CopyLayout } from './copy-layout.js';
import { replace } from './write-copy.js';

/** Writes the list of all sessions, where one is wanted. */
export async function writeIndex(store: SessionStore, { index }: CopyLayout): Promise<void> {
  if (index === null) return;
  const sessions: SessionSummary[] = [];
  for (let cursor: string | null = ''; cursor !== null && sessions.length < COPY_INDEX_SESSIONS; ) {
    const page = await store.list({ project: null, limit: 1_000, cursor: cursor || undefined });
    sessions.push(...page.sessions);
    cursor = page.next_cursor;
  }
  const lines = sessions.reverse().map((summary) => {
    const { session_id, parent_id, created, ended } = summary;
    // The same in the words of the daemon's API too, as `session.json` has it.
    const shown = { ...summary, parent_session_id: parent_id, created_at: created, ended_at: ended };
    return `${JSON.stringify(session_id)}: ${JSON.stringify(shown)}`;
  });
  await replace(index, `{"version": 2, "sessions": {\n${lines.join(',\n')}\n}}\n`);
}
