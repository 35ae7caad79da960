import type { JsonObject, Usage } from '@amplifier/core';
import type { ProviderPreference } from '@amplifier/foundation';
import type { LaunchRecord } from '../plan/launch-record.js';

/** What went wrong, as it travels to the parent. */
export interface OutcomeError {
  code: string;
  message: string;
  retryable: boolean;
  /** Who failed: a provider, a module, a file. */
  origin?: string | undefined;
}

type ModelName = Pick<ProviderPreference, 'provider' | 'model'>;

/** A model that was out of service, and the one that took over. */
export interface Fallback {
  from: ModelName;
  to: ModelName;
  error: { code: string | null; message: string };
}

interface Ending {
  session_id: string;
  agent: string | null;
  usage: Usage;
  /** US dollars as a decimal string; null when unknown. The child's own and that of everything below it. */
  cost: string | null;
  model_used: string | null;
  /** Model calls of this turn. */
  turn_count: number;
  /** May the same session be given another instruction? */
  resumable: boolean;
  artifacts: JsonObject[];
  /** Requests that could not be met, in words. */
  warnings: string[];
  /** Models that were out of service before one took the turn, in order. Absent when the first did. */
  fallbacks?: Fallback[];
  /** Only as it is kept: the number of the message with the whole answer, of which just the beginning stands here. */
  answer_message?: number;
}

/** `text` is never empty: an empty answer is a failure, whatever the model called it. */
interface Completed extends Ending {
  status: 'completed';
  text: string;
  /** The answer as data, when the request had a schema. */
  data?: unknown;
}

interface Unfinished extends Ending {
  /** What the child had said when it ended. May be empty. */
  partial_text: string;
  error: OutcomeError;
}

export type LimitKind = 'depth' | 'children' | 'turns' | 'tokens' | 'cost' | 'time' | 'output';

/** Every delegation ends in exactly one of these. */
export type Outcome =
  | Completed
  /** The child asks and waits: resume it with the answer. */
  | (Unfinished & { status: 'needs_input'; question: string })
  | (Unfinished & { status: 'limit'; limit: { kind: LimitKind } })
  /** The model or its filter would not do it. */
  | (Unfinished & { status: 'refused' })
  /** The session was not allowed to. */
  | (Unfinished & { status: 'denied' })
  /** Nothing moved for too long. */
  | (Unfinished & { status: 'stalled' })
  | (Unfinished & { status: 'cancelled'; by: string })
  | (Unfinished & { status: 'failed' })
  /** Its process died. */
  | (Unfinished & { status: 'interrupted' });

export type OutcomeStatus = Outcome['status'];

/** How an outcome looks at each entry point. One table for all of them. */
export const OUTCOME_VIEWS: Record<
  OutcomeStatus,
  { session: 'completed' | 'active' | 'failed' | 'terminated'; result: string; exit_code: number }
> = {
  completed: { session: 'completed', result: 'success', exit_code: 0 },
  needs_input: { session: 'active', result: 'needs_input', exit_code: 4 },
  limit: { session: 'failed', result: 'limit', exit_code: 3 },
  stalled: { session: 'failed', result: 'stalled', exit_code: 3 },
  refused: { session: 'failed', result: 'refused', exit_code: 1 },
  denied: { session: 'failed', result: 'denied', exit_code: 1 },
  failed: { session: 'failed', result: 'error', exit_code: 1 },
  cancelled: { session: 'terminated', result: 'cancelled', exit_code: 130 },
  interrupted: { session: 'active', result: 'interrupted', exit_code: 1 },
};

/** Somebody who may say no has said no: the grant, a trust, a hook of the app. */
const DENIALS: ReadonlySet<string> = new Set([
  'DELEGATION_DENIED',
  'AGENT_NOT_ALLOWED',
  'PROMPT_DENIED',
  'REQUEST_DENIED',
  'WORKSPACE_NOT_TRUSTED',
  'PATH_DENIED',
  'EXEC_DENIED',
]);

export function isDenial(code: string | undefined): boolean {
  return code !== undefined && DENIALS.has(code);
}

/** The same ending, told as what it is when its process died: not over, only cut off. */
export function interrupted(outcome: Outcome): Outcome {
  if (outcome.status === 'completed') return outcome;
  return { ...outcome, status: 'interrupted' };
}

/** The text to show: the answer, or what there is of it. */
export function outcomeText(outcome: Outcome): string {
  return outcome.status === 'completed' ? outcome.text : outcome.partial_text;
}

/** A turn that has ended, and the record it was run from. */
export interface Ended {
  outcome: Outcome;
  launch: LaunchRecord;
}

/** What a delegation leads to: an outcome, or the word that it continues in the background. */
export type Delegation = ({ kind: 'outcome' } & Ended) | { kind: 'background'; launch: LaunchRecord };
