import type { SessionStore } from '@amplifier/sessions';

/** The instruction of a turn whose only purpose is mail that arrived too late for the turn before. */
export const UNREAD_MAIL = 'A message arrived while your last turn was ending. Act on it.';

/** Null if no such message was sent. */
export async function isMailUnread(
  store: SessionStore,
  session_id: string,
  mail_id: string,
): Promise<boolean | null> {
  const item = (await store.mail(session_id)).find(({ id }) => id === mail_id);
  if (!item) return null;
  return item.cursor > (await store.metadata(session_id)).mailbox_cursor;
}
