import type { SessionStore } from '@amplifier/sessions';

/** The ids of a session and its descendants, parents first. */
export async function sessionTree(store: SessionStore, session_id: string): Promise<string[]> {
  const ids = [session_id];
  for (const id of ids) ids.push(...(await store.children(id)).map((child) => child.session_id));
  return ids;
}
