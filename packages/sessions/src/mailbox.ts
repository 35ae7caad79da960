import type { JsonObject } from '@amplifier/core';

type MailKind = 'message' | 'question' | 'answer' | 'cancel' | 'completion';

/** Something to tell a session, whichever process runs it now or later. */
export interface NewMailItem {
  to: string;
  kind: MailKind;
  from?: string | null;
  /** Sending the same id twice delivers it once. Give one whenever the sender might be run again. */
  id?: string;
  /** For an answer: the question's id. */
  reply_to?: string | null;
  body: JsonObject;
}

export interface MailItem {
  id: string;
  to: string;
  kind: MailKind;
  from: string | null;
  reply_to: string | null;
  time: string;
  body: JsonObject;
  /** Where the item ends in its mailbox. Record it with the item's effect and it is never delivered again. */
  cursor: number;
}

/**
 * The way into a session from outside. Anyone may send, from any process; only the holder of the session's log
 * receives (`SessionLog.pendingMail`, `mail` and `deliver`).
 */
export interface Mailbox {
  /** Must be on disk when it resolves. Must refuse a session that does not exist. */
  send(item: NewMailItem): Promise<{ id: string }>;
  /** All mail ever sent to a session, oldest first, each id once, delivered or not. */
  mail(session_id: string): Promise<MailItem[]>;
}
