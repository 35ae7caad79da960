import type { JsonObject, LivePart } from '@amplifier/core';
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
  /** Nobody waits for it: it shares the next commit of this process, or soon has its own. Nothing later is found without it. */
  trailing?: boolean;
}

/** What a mail item leads to. One line, so that effect and receipt are one write: there is no moment between them. */
export type MailEffect = { message: NewMessage } | { event: NewEvent };

/**
 * The right to write one session, held by one process at a time. Every append must resolve only when it is durable, and must keep the
 * order of the calls. An append that rejects must not be found later. Once a newer owner has taken over, every call must reject with
 * `FENCED` and nothing more of this log may become visible.
 */
export interface SessionLog extends AsyncDisposable {
  readonly session_id: string;
  /** How often the right to write the session was given out, this one included. */
  readonly epoch: number;
  /** The fold of all that is in the logs, appends that are under way included. */
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
  deliver(item: MailItem, effect?: MailEffect): Promise<boolean>;
  /** Appends a result for each tool call of the last turn that has none. Returns the calls it closed. */
  repairToolCalls(reason?: string): Promise<string[]>;
  /** Resolves when everything appended before is durable; rejects when some of it cannot be. */
  flush(): Promise<void>;
  /** Waits for what is under way, then gives the session free. */
  close(): Promise<void>;
}
