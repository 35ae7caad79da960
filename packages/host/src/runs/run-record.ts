import { type JsonObject, ulidSource } from '@amplifier/core';
import type {
  Attachment,
  DelegateInput,
  LimitOptions,
  Outcome,
  OutcomeStatus,
  RunEnd,
} from '@amplifier/delegation';
import type { RunEvent, RunRecord } from '@amplifier/sessions';
import type { NetworkAccess } from '@amplifier/workspace';

/** The kind of runs in the queue that are turns and delegations of sessions. */
export const RUN_KIND = 'run';
/** The kind of runs that the process which submits them executes, because their client is connected there. */
export const JOB_KIND = 'job';

type RunKind = 'turn' | 'delegate' | 'continue';
export type BusyPolicy = 'queue' | 'reject' | 'steer' | 'interrupt';

/** How long questions of a run wait for an answer, and what happens then. */
interface RunApprovals {
  timeout_seconds?: number | null | undefined;
  on_timeout?: 'deny' | 'allow' | 'leave' | undefined;
}

/** What a run has to do. Stored in the queue, so that any process can execute it. */
export interface RunOrder extends JsonObject {
  session_id: string;
  kind: RunKind;
  instruction: string;
  attachments?: Attachment[] | undefined;
  /** What of its turn may reach the network, at most what the session may. */
  network?: NetworkAccess | undefined;
  /** What happens when the session is busy. */
  busy: BusyPolicy;
  limits: LimitOptions;
  /** Where they differ from those of the entry point. */
  approvals: RunApprovals & JsonObject;
  /** The name its turn, or its child, is known by after a crash: its own id, or that of the run it continues. */
  call_id: string;
  /** The id of the token that asks for it. */
  caller?: string | undefined;
  /** Higher goes before what waits of other sessions. */
  priority?: number | undefined;
  continued_from: string | null;
  /** For a delegation: all that the request said. Delegations of a session do not wait for each other. */
  delegate: DelegateInput | null;
  /** It was sent to the run that was active; the mail has this id. */
  mail_id: string | null;
}

export interface StopOptions {
  mode: 'graceful' | 'immediate';
  /** Also background children. Those that the turn waits for stop with it. */
  cascade: boolean;
  by: string;
}

/** `steered`: the active run has read its instruction. */
type RunEndStatus = OutcomeStatus | 'steered';
export type RunState = 'queued' | 'running' | RunEndStatus;

/** How a run ended: the result of its row, and the data of its event `run:ended`. */
export interface RunEnding extends JsonObject {
  kind: RunKind | typeof JOB_KIND;
  status: RunEndStatus;
  /** As the record keeps it: see `wholeOutcome`. */
  outcome: Outcome | null;
  /** Why there is no outcome. */
  error: { code: string; message: string; retryable: boolean } | null;
}

/** How a job ended: `status` and `end` are the result of its row, the rest is in its event. */
export interface JobEnd extends Pick<RunEnding, 'status' | 'outcome' | 'error'> {
  /** What the entry point renders the job from; null where its process died, so that only its session says how it ended. */
  end: JsonObject | null;
}

/** A run was accepted. It is stored before the client gets an answer. */
const RUN_QUEUED = 'run:queued';
/** A run begins, or continues after its process died: then `attempt` is higher than 1. */
const RUN_STARTED = 'run:started';
/** A run has ended. Exactly one for each run. */
export const RUN_ENDED = 'run:ended';

/** Events of runs, in this order. They are in the feed with their session, and not in its log. */
export const RUN_EVENTS: readonly string[] = [RUN_QUEUED, RUN_STARTED, RUN_ENDED];

type Queued = Pick<RunEnding, 'kind'> & Pick<RunOrder, 'busy' | 'continued_from'>;

export function queuedEvent(run_id: string, { kind, busy, continued_from }: Queued): RunEvent {
  return { name: RUN_QUEUED, id: `${run_id}:queued`, data: { run_id, kind, busy, continued_from } };
}

/** A job may be submitted again under its id, so this event gets a new id each time. */
export function jobQueuedEvent(run_id: string, order: Queued): RunEvent {
  return { ...queuedEvent(run_id, order), id: `${run_id}:queued:${nextUlid()}` };
}

export function startedEvent({ run_id, payload, starts }: RunRecord, token: number): RunEvent {
  const { kind } = orderOf({ payload });
  return { name: RUN_STARTED, id: `${run_id}:started:${token}`, data: { run_id, kind, attempt: starts + 1 } };
}

export function endedEvent(run_id: string, ending: RunEnding): RunEvent {
  return { name: RUN_ENDED, id: `${run_id}:ended`, data: { run_id, ...ending } };
}

/** How a job ended. Without an outcome, which is on disk, the end has to be there itself. */
export function jobEnd(
  { run_id, token }: Pick<RunRecord, 'run_id' | 'token'>,
  { end, ...ended }: JobEnd,
): RunEnd {
  const ending = { kind: JOB_KIND, ...ended } as const;
  return {
    result: { kind: JOB_KIND, status: ended.status, end },
    event: { ...endedEvent(run_id, ending), id: `${run_id}:ended:${token}` },
    durability: ended.outcome ? 'process' : 'disk',
  };
}

export function orderOf({ payload }: Pick<RunRecord, 'payload'>): RunOrder {
  return payload as RunOrder;
}

export function stateOf({ status, result }: Pick<RunRecord, 'status' | 'result'>): RunState {
  if (status !== 'finished') return status;
  return (result as RunEnding | null)?.status ?? 'failed';
}

/** Null while it has not ended. */
export function endingOf({ ended, result }: Pick<RunRecord, 'ended' | 'result'>): RunEnding | null {
  return ended === null ? null : (result as RunEnding | null);
}

/** Is it a turn of the session itself, and not of a child? */
export function isOwn(run: Pick<RunRecord, 'payload'>): boolean {
  return orderOf(run).delegate === null;
}

export function isOpen({ status }: Pick<RunRecord, 'status'>): boolean {
  return status === 'queued' || status === 'running';
}

/** How a run ends that was cancelled before it began. */
export function withdrawn({ kind }: RunOrder, by: string): RunEnding {
  const error = { code: 'CANCELLED', message: `Cancelled by ${by} before it began.`, retryable: false };
  return { kind, status: 'cancelled', outcome: null, error };
}

const nextUlid = ulidSource();

export function newRunId(): string {
  return `run_${nextUlid()}`;
}
