import { textOf } from '@amplifier/core';
import type { SessionStore } from '@amplifier/sessions';
import { RETOLD_MESSAGES } from '../defaults.js';

/** The conversation so far in words. The last line is the prompt of the coming turn and is left out. */
export async function retell(store: SessionStore, session_id: string): Promise<string> {
  const lines = (await store.tail(session_id, RETOLD_MESSAGES + 1)).slice(0, -1);
  const said = lines
    .filter(({ role }) => role === 'user' || role === 'assistant')
    .map(({ role, content }) => ({ role, text: textOf(content).trim() }))
    .filter(({ text }) => text !== '');
  if (said.length === 0) return '';
  const told = said.map(({ role, text }) => `${role === 'user' ? 'User' : 'You'}: ${text}`).join('\n\n');
  return `This is our conversation so far:\n\n${told}`;
}
