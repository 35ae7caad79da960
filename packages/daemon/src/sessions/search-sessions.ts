import { textOf } from '@amplifier/core';
import { messagePages, type SessionStore } from '@amplifier/sessions';
import { SEARCH_CHARACTERS, SEARCH_SCAN } from '../defaults.js';
import { entryOf } from './session-schema.js';

/** Looks through a bounded number of sessions, and of characters in them, newest first. The cursor continues from there. */
export async function searchSessions(
  store: SessionStore,
  { q, limit, cursor }: { q: string; limit: number; cursor?: string | undefined },
): Promise<{ matches: object[]; next_cursor: string | null }> {
  const wanted = q.toLowerCase();
  const matches: object[] = [];
  let scanned = 0;
  const text = { left: SEARCH_CHARACTERS };
  let at: string | null | undefined = cursor;
  while (at !== null && scanned < SEARCH_SCAN && text.left > 0 && matches.length < limit) {
    const page = await store.list({ limit: 1, ...(at ? { cursor: at } : {}) });
    at = page.next_cursor;
    const [summary] = page.sessions;
    if (!summary) break;
    scanned++;
    const match = await findIn(store, summary, wanted, text);
    if (match) matches.push({ ...entryOf(summary), match });
  }
  return { matches, next_cursor: at ?? null };
}

async function findIn(
  store: SessionStore,
  {
    session_id,
    name,
    profile_name,
  }: { session_id: string; name: string | null; profile_name: string | null },
  wanted: string,
  scanned: { left: number },
): Promise<object | null> {
  for (const [field, value] of Object.entries({ session_id, name, profile_name })) {
    if (value?.toLowerCase().includes(wanted)) return { field, text: value };
  }
  if (!(await store.has(session_id))) return null;
  for await (const lines of messagePages(store, session_id))
    for (const { seq, content } of lines) {
      const text = textOf(content);
      scanned.left -= text.length;
      const found = text.toLowerCase().indexOf(wanted);
      if (found >= 0)
        return { field: 'message', seq, text: text.slice(Math.max(0, found - 40), found + 160) };
    }
  return null;
}
