import { isTerminal, type SessionStore, type SessionSummary } from '@amplifier/sessions';
import type { LiveSessions } from './live-sessions.js';

/**
 * Names the children of a running session that still work, for its model. While the model is asked only children in the background
 * can be at work. Those of this turn are in `live`, so the record is read once per turn, for those of earlier turns, and
 * then only while there are some. A session that `isNew` had no earlier turn.
 */
export function liveChildren(
  store: SessionStore,
  live: LiveSessions,
  { session_id, isNew }: { session_id: string; isNew: boolean },
): () => Promise<string | null> {
  let isKnown = isNew;
  return async () => {
    if (isKnown && live.background(session_id).size === 0) return null;
    const running = await childrenAtWork(store, live, session_id);
    live.setBackground(
      session_id,
      running.map((child) => child.session_id),
    );
    isKnown = true;
    return describe(running);
  };
}

async function childrenAtWork(
  store: SessionStore,
  live: LiveSessions,
  session_id: string,
): Promise<SessionSummary[]> {
  const running: SessionSummary[] = [];
  for (const child of await store.children(session_id)) {
    if (await isAtWork(child, store, live)) running.push(child);
  }
  return running;
}

function describe(running: readonly SessionSummary[]): string | null {
  if (running.length === 0) return null;
  const lines = running.map(
    ({ session_id: id, agent_name, status, created }) =>
      `- ${agent_name ?? 'agent'} ${id} (${status}, since ${created})`,
  );
  return ['Agents of yours that are at work; their results will be delivered to you:', ...lines].join('\n');
}

/** A listing may trail; the session itself knows. */
async function isAtWork(
  { session_id, status }: SessionSummary,
  store: SessionStore,
  live: LiveSessions,
): Promise<boolean> {
  if (isTerminal(status)) return false;
  if (live.has(session_id)) return true;
  // A damaged or deleted session does not work.
  const metadata = await store.metadata(session_id).catch(() => null);
  return metadata !== null && !isTerminal(metadata.status);
}
