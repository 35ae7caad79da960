import { type SessionStore, type SessionSummary, shownText, textOf } from '@amplifier/host';

/** What the first words of a session that a summary began say; such a session is told as what it is. */
export const SUMMARY_PREFACE = 'This is the summary of the conversation before this one:';

/** A person speaks first, after what a program may have put before that. */
const FIRST_MESSAGES = 3;

/** What a session is about, in one line: its name, or what it was asked first; and whether it goes on from another one. */
export async function sessionTitle(store: SessionStore, session: SessionSummary): Promise<string> {
  const { session_id, name, forked_from } = session;
  const about = name ?? (await firstInstruction(store, session_id));
  const from = forked_from === null ? '' : `fork of ${shortId(forked_from)}: `;
  if (!about.startsWith(SUMMARY_PREFACE)) return oneLine(`${from}${about}`);
  const [, after = ''] = about.split(/^---$/m);
  return oneLine(`${from}after a summary: ${after}`);
}

/** An id without what every root begins with. */
export function shortId(session_id: string): string {
  return session_id.replace(/^session_/, '');
}

/** Month, day, hour and minute where the person is. */
export function shortTime(iso: string): string {
  const at = new Date(iso);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** A session that only holds what was delegated from the shell is told as that. A record that cannot be read has no title. */
async function firstInstruction(store: SessionStore, session_id: string): Promise<string> {
  const own = (await instructionOf(store, session_id)) || (await firstWords(store, session_id));
  if (own !== '') return own;
  const [child] = await store.children(session_id).catch(() => []);
  if (!child) return '';
  return `delegate ${child.agent_name ?? ''}: ${await instructionOf(store, child.session_id)}`;
}

async function instructionOf(store: SessionStore, session_id: string): Promise<string> {
  const launch = await store.document(session_id, 'launch').catch(() => null);
  return typeof launch?.instruction === 'string' ? launch.instruction : '';
}

/** What was said first, where nobody was launched with it: in a session of the server, or of another program. */
async function firstWords(store: SessionStore, session_id: string): Promise<string> {
  const first = await store.messages(session_id, { limit: FIRST_MESSAGES }).catch(() => []);
  return textOf(first.find(({ role }) => role === 'user')?.content ?? '');
}

function oneLine(text: string): string {
  return shownText(text).replace(/\s+/g, ' ').trim();
}
