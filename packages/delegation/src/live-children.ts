import type { SessionStore } from '@amplifier/sessions';
import { isTerminal } from '@amplifier/sessions';

/** The children of a session that still run, in words for its model. Rebuilt from the record, so that no compaction forgets them. */
export async function liveChildrenText(store: SessionStore, session_id: string): Promise<string | null> {
  const running = (await store.children(session_id)).filter(({ status }) => !isTerminal(status));
  if (running.length === 0) return null;
  const lines = running.map(
    ({ session_id: id, agent_name, status, created }) =>
      `- ${agent_name ?? 'agent'} ${id} (${status}, since ${created})`,
  );
  return ['Agents of yours that are at work; their results will be delivered to you:', ...lines].join('\n');
}
