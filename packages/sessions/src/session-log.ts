import type { JsonObject, LivePart } from '@amplifier/core';
import type { Durability } from './database/database.js';
import type { MailItem } from './mailbox.js';
import type {
  NewEvent,
  NewMessage,
  SessionEvent,
  SessionMetadata,
  SessionPatch,
  SessionStatus,
  StatusDetail,
  TranscriptLine,
} from './records.js';

export interface AppendOptions {
  /** The append shares the next commit of this process, or soon has its own. Nothing later is found without it. */
  trailing?: boolean;
  /** Default: `disk`, or `process` for what trails. */
  durability?: Durability;
  /** The last append: the session is given free in the same write. `close` then waits for nothing, and any other call rejects. */
  last?: boolean;
}

/** What a mail item leads to. One line, so that effect and receipt are one write: there is no moment between them. */
export type MailEffect = { message: NewMessage } | { event: NewEvent };

/**
 * The right to write one session, held by one process at a time. Every append must resolve only when it has the durability that was
 * asked for, and must keep the order of the calls. An append that rejects must not be found later. Once a newer owner has taken over,
 * every call must reject with `FENCED` and nothing more of this log may become visible. Must be closed by the one who opened it
 * (`await using`).
 */
export interface SessionLog extends AsyncDisposable {
  readonly session_id: string;
  /** How often the right to write the session was given out, this one included. */
  readonly epoch: number;
  /** The fold of all that is in the logs, appends that are under way included. Members that appends change are frozen. */
  readonly metadata: SessionMetadata;
  /** A piece of the answer being written, for whoever looks on, in any process. Not stored; its id is that of the next assistant message. */
  say(part: LivePart, piece: string): void;
  /** What was said so far will not be stored: it is begun anew, or given up. */
  unsay(): void;
  appendMessages(messages: readonly NewMessage[], options?: AppendOptions): Promise<TranscriptLine[]>;
  appendEvents(events: readonly NewEvent[], options?: AppendOptions): Promise<SessionEvent[]>;
  /** Must refuse a step that the table in `status.ts` does not have. */
  transition(status: SessionStatus, detail?: StatusDetail, options?: AppendOptions): Promise<SessionMetadata>;
  update(patch: SessionPatch, options?: AppendOptions): Promise<SessionMetadata>;
  putDocument(name: 'launch' | 'mount_plan', document: JsonObject): Promise<void>;
  putDocument(name: 'bundle', document: string): Promise<void>;
  /**
   * False when `pendingMail` would show nothing that it has not shown before, as far as this process knows. Mail that another
   * process has just sent may not be known yet.
   */
  readonly hasMailNews: boolean;
  /** Mail not yet delivered, oldest first. */
  pendingMail(): Promise<MailItem[]>;
  /** Mail as it comes, those that wait first. Ends when `signal` aborts or the log is closed. */
  mail(signal?: AbortSignal): AsyncIterable<MailItem>;
  /**
   * Records that a mail item, and every one before it, has been dealt with, in the same write as its effect. Without an
   * effect the event `mailbox:delivered` is appended. False when it had been delivered already: then nothing is written.
   */
  deliver(item: MailItem, effect?: MailEffect, options?: AppendOptions): Promise<boolean>;
  /** Appends a result for each tool call of the last turn that has none. Returns the calls it closed. */
  repairToolCalls(reason?: string): Promise<string[]>;
  /** Resolves when everything appended before has this durability (default: `disk`); rejects when some of it cannot have it. */
  flush(durability?: Durability): Promise<void>;
  /** Why the right to write was revoked; null while it was not. */
  readonly revoked: Error | null;
  /**
   * Ends the right to write in this process: every call must reject with `error`, and nothing that is not committed yet may become
   * visible. The session is given free when the log is closed.
   */
  revoke(error: Error): void;
  /**
   * Another log with the same right to write. Each is closed separately; revoking one revokes all. The session is given free when all
   * are closed. `onClosed` is called when the new one is closed.
   */
  share(onClosed?: () => void): SessionLog;
  /** Waits for what is under way, then gives the session free. */
  close(): Promise<void>;
}
