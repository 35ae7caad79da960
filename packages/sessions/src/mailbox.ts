import type { JsonObject } from '@amplifier/core';

export type LetterKind = 'message' | 'question' | 'answer' | 'cancel' | 'completion';

/** Something to tell a session, whichever process runs it now or later. */
export interface NewLetter {
  to: string;
  kind: LetterKind;
  from?: string | null;
  /** Sending the same id twice delivers it once. Give one whenever the sender might be run again. */
  id?: string;
  /** For an answer: the question's id. */
  reply_to?: string | null;
  body: JsonObject;
}

export interface Letter {
  id: string;
  to: string;
  kind: LetterKind;
  from: string | null;
  reply_to: string | null;
  time: string;
  body: JsonObject;
  /** Where the letter ends in its mailbox. Record it with the letter's effect and it is never delivered again. */
  cursor: number;
}

/**
 * The way into a session from outside. Anyone may send, from any process; only the holder of the session's log
 * receives (`SessionLog.pendingMail`, `mail` and `deliver`).
 */
export interface Mailbox {
  /** Must be on disk when it resolves. Must refuse a session that does not exist. */
  send(letter: NewLetter): Promise<{ id: string }>;
  /** Every letter ever sent to a session, oldest first, each id once, delivered or not. */
  letters(session_id: string): Promise<Letter[]>;
}
