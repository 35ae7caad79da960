import { hasCode, type SessionStore } from '@amplifier/sessions';

/** Is the session the other one, or below it? False for one that is not there. */
export async function isWithin(store: SessionStore, session_id: string, top: string): Promise<boolean> {
  const seen = new Set<string>();
  for (let at: string | null = session_id; at !== null && !seen.has(at); ) {
    if (at === top) return true;
    seen.add(at);
    at = await parentOf(store, at);
  }
  return false;
}

async function parentOf(store: SessionStore, session_id: string): Promise<string | null> {
  try {
    return (await store.metadata(session_id)).parent_id;
  } catch (error) {
    if (hasCode(error, 'SESSION_NOT_FOUND') || hasCode(error, 'INVALID_SESSION_ID')) return null;
    throw error;
  }
}
