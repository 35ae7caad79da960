import type { JsonObject } from '@amplifier/core';

/** Something to tell a session, whichever process runs it now or later. */
export interface MailItem {
  id: string;
  to: string;
  kind: 'message' | 'question' | 'answer' | 'cancel' | 'completion';
  from: string | null;
  /** For an answer: the question's id. */
  reply_to: string | null;
  time: string;
  body: JsonObject;
  /** Where the item ends in its mailbox. Record it with the item's effect and it is never delivered again. */
  cursor: number;
}

/** Sending the same id twice delivers it once. Give one whenever the sender might be run again. */
export type NewMailItem = Pick<MailItem, 'to' | 'kind' | 'body'> &
  Partial<Pick<MailItem, 'id' | 'from' | 'reply_to'>>;

/** The way into a session from outside: anyone may send, from any process; only the holder of the session's log receives. */
export interface Mailbox {
  /** Must be on disk when it resolves. Must refuse a session that does not exist. */
  send(item: NewMailItem): Promise<{ id: string }>;
  /** All mail ever sent to a session, oldest first, each id once, delivered or not. */
  mail(session_id: string): Promise<MailItem[]>;
}
