import type { SessionStore } from '@amplifier/sessions';
import { titleOf } from './tree-node.js';

/** The instruction is among the first messages. */
const FIRST = 3;

/** What a session was first told, for one that has no name: a root is launched before it gets an instruction. */
export async function firstWords(store: SessionStore, session_id: string): Promise<string | null> {
  const lines = await store.messages(session_id, { limit: FIRST });
  const content = lines.find(({ role }) => role === 'user')?.content;
  if (!Array.isArray(content)) return titleOf(content);
  return titleOf(content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n'));
}
