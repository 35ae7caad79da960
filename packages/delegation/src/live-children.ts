import { isTerminal, type SessionStore, type SessionSummary } from '@amplifier/sessions';
import type { LiveSessions } from './live-sessions.js';

/** The children of a session that still run, in words for its model. Rebuilt from the record, so that no compaction forgets them. */
export async function liveChildrenText(
  store: SessionStore,
  live: LiveSessions,
  session_id: string,
): Promise<string | null> {
  const running: SessionSummary[] = [];
  for (const child of await store.children(session_id)) {
    if (await isAtWork(child, store, live)) running.push(child);
  }
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
  // One that is damaged, or has just been deleted, is at no work either.
  const metadata = await store.metadata(session_id).catch(() => null);
  return metadata !== null && !isTerminal(metadata.status);
}
