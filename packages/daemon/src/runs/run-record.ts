import type { JsonObject } from '@amplifier/core';
import type { Attachment, DelegateInput, LimitOptions, Outcome, OutcomeStatus } from '@amplifier/delegation';
import type { RunRecord } from '@amplifier/sessions';
import type { NetworkAccess } from '@amplifier/workspace';
import type { ApprovalTimeouts } from '../config.js';

/** The runs of this daemon among all that waits in the queue. */
export const RUN_KIND = 'run';

type RunKind = 'turn' | 'delegate' | 'continue';
export type BusyPolicy = 'queue' | 'reject' | 'steer' | 'interrupt';

/** What a run is to do. Kept with it in the queue, so that any process can take it up. */
export interface RunOrder extends JsonObject {
  /** Whose run it is. A delegation waits in a line of its own, so that several can go on at once. */
  session_id: string;
  kind: RunKind;
  instruction: string;
  /** What goes along with it. */
  attachments?: Attachment[] | undefined;
  /** What of its turn may reach the network, at most what the session may. */
  network?: NetworkAccess | undefined;
  busy: BusyPolicy;
  limits: LimitOptions;
  /** Where they differ from those of the daemon. */
  approvals: { [Member in keyof ApprovalTimeouts]?: ApprovalTimeouts[Member] | undefined };
  /** The name its turn, or its child, is known by after a crash: its own id, or that of the run it continues. */
  call_id: string;
  /** The id of the token that asks for it. */
  caller?: string | undefined;
  /** Higher goes before what waits of other sessions. */
  priority?: number | undefined;
  continued_from: string | null;
  /** For a delegation: all that the request said. */
  delegate: DelegateInput | null;
  /** It was sent to the run that was at work; the mail has this id. */
  mail_id: string | null;
}

/** How a run ended, as the queue keeps it. The outcome itself is in the event `run:ended`. */
export interface RunResult extends JsonObject {
  status: RunEnd;
  /** Of the event `run:ended` in the session's log. */
  event_seq?: number;
  /** Why there is no such event: the session could not take it. */
  error?: NonNullable<RunEnding['error']>;
}

/** `steered`: what it had to say was taken up by the run that was at work. */
type RunEnd = OutcomeStatus | 'steered';
export type RunState = 'queued' | 'running' | RunEnd;

export const DIED_TOO_OFTEN = {
  code: 'INTERRUPTED',
  message: 'The daemon died too often while it worked on this run. Continue it to try again.',
  retryable: true,
};

/** What the event `run:ended` says beside the id. */
export interface RunEnding extends JsonObject {
  kind: RunKind;
  status: RunEnd;
  outcome: Outcome | null;
  /** Why there is no outcome. */
  error: { code: string; message: string; retryable: boolean } | null;
}

export function orderOf({ payload }: Pick<RunRecord, 'payload'>): RunOrder {
  return payload as RunOrder;
}

export function stateOf({ status, result }: Pick<RunRecord, 'status' | 'result'>): RunState {
  switch (status) {
    case 'queued':
    case 'running':
    case 'cancelled':
      return status;
    case 'abandoned':
      return 'interrupted';
    case 'finished':
      return (result as RunResult | null)?.status ?? 'failed';
  }
}

/** Has it the session itself at work, and not a child of it? */
export function isOwn(run: Pick<RunRecord, 'payload'>): boolean {
  return orderOf(run).delegate === null;
}

export function isOpen({ status }: Pick<RunRecord, 'status'>): boolean {
  return status === 'queued' || status === 'running';
}

/** How a run ends that was stopped before it began. */
export function withdrawn({ kind }: RunOrder, by: string): RunEnding {
  const error = { code: 'CANCELLED', message: `Cancelled by ${by} before it began.`, retryable: false };
  return { kind, status: 'cancelled', outcome: null, error };
}
