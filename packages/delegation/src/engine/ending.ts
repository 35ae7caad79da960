import {
  AmplifierError,
  ContentFilterError,
  errorInfo,
  type JsonObject,
  NO_USAGE,
  type Usage,
} from '@amplifier/core';
import { LimitReached } from '../metering/budget.js';
import type { LaunchRecord } from '../plan/launch-record.js';
import { isDenial, type Outcome, type OutcomeError } from '../request/outcome.js';
import type { StopReason } from '../turn/stop-switch.js';

/** What is known when a turn is over. */
export interface Ending {
  launch: LaunchRecord;
  /** What was said last; empty when nothing was. */
  text: string;
  /** What the turn threw, if it did. */
  thrown: unknown;
  stopped: StopReason | null;
  /** `incomplete` when the loop ended before the model was done. */
  loop_status: string | null;
  /** Why it was incomplete, where the loop reports it. */
  loop_reason?: string | null;
  finish_reason: string | null;
  turn_count: number;
  /** The child's own and that of everything below it, in this turn. */
  usage: Usage;
  model_used: string | null;
  data?: unknown;
  /** Why the answer does not fit the schema that was asked for. */
  mismatch?: string | undefined;
  artifacts?: JsonObject[];
  warnings?: string[];
}

/** Reasons of a loop that describe the model's last answer. The answer itself decides the outcome. */
const ANSWER_FAULTS: ReadonlySet<string> = new Set(['length', 'empty_response']);

/** The one outcome of a turn. The order of these questions is the order of what matters more. */
export function outcomeOf(ending: Ending): Outcome {
  const { text, thrown, stopped, loop_status, loop_reason = null, finish_reason } = ending;
  const shared = sharedOf(ending);
  const unfinished = (error: OutcomeError) => ({ partial_text: text, error, ...shared });
  if (stopped) return stoppedOutcome(stopped, unfinished);
  if (thrown instanceof LimitReached) {
    return {
      ...unfinished(ownError('LIMIT_REACHED', thrown.message)),
      status: 'limit',
      limit: { kind: thrown.kind },
    };
  }
  if (thrown instanceof ContentFilterError || (thrown === null && finish_reason === 'content_filter')) {
    const error =
      thrown === null
        ? ownError('CONTENT_FILTER', 'The model’s filter ended the answer.')
        : thrownError(thrown);
    return { ...unfinished(error), status: 'refused' };
  }
  if (thrown !== null) {
    const error = thrownError(thrown);
    return { ...unfinished(error), status: isDenial(error.code) ? 'denied' : 'failed' };
  }
  if (loop_status === 'incomplete' && !ANSWER_FAULTS.has(loop_reason ?? '')) {
    const error = ownError('LIMIT_REACHED', 'The loop reached its own limit before the model was done.');
    return { ...unfinished(error), status: 'limit', limit: { kind: 'turns' } };
  }
  if (finish_reason === 'length') {
    const error = ownError('LIMIT_REACHED', 'The answer was cut off at the model’s output limit.');
    return { ...unfinished(error), status: 'limit', limit: { kind: 'output' } };
  }
  if (text.trim() === '') {
    const message = 'The model ended its turn without an answer. Resume the session to ask again.';
    return { ...unfinished(ownError('EMPTY_ANSWER', message, true)), status: 'failed' };
  }
  if (ending.mismatch !== undefined) {
    const message = `The answer does not match the requested schema: ${ending.mismatch}`;
    return { ...unfinished(ownError('SCHEMA_MISMATCH', message, true)), status: 'failed' };
  }
  return {
    status: 'completed',
    text,
    ...shared,
    data: ending.data,
  };
}

function stoppedOutcome(
  reason: StopReason,
  unfinished: (error: OutcomeError) => Omit<Extract<Outcome, { status: 'failed' }>, 'status'>,
): Outcome {
  switch (reason.kind) {
    case 'cancel':
      return {
        ...unfinished(ownError('CANCELLED', `Cancelled by ${reason.by}.`)),
        status: 'cancelled',
        by: reason.by,
      };
    case 'limit':
      return {
        ...unfinished(ownError('LIMIT_REACHED', reason.message)),
        status: 'limit',
        limit: { kind: reason.limit },
      };
    case 'stall':
      return { ...unfinished(ownError('STALLED', reason.message, true)), status: 'stalled' };
    case 'question':
      return {
        ...unfinished(ownError('NEEDS_INPUT', reason.question)),
        status: 'needs_input',
        question: reason.question,
      };
  }
}

function sharedOf({ launch, usage, model_used, turn_count, artifacts = [], warnings = [] }: Ending) {
  return {
    session_id: launch.session_id,
    agent: launch.agent.name,
    usage,
    cost: usage.cost_usd,
    model_used,
    turn_count,
    resumable: true,
    artifacts,
    warnings: [...launch.model.unmet, ...warnings],
  };
}

/** The outcome of a turn in which nothing was said. */
export function outcomeWithoutRun(
  launch: LaunchRecord,
  { thrown = null, stopped = null }: { thrown?: unknown; stopped?: StopReason | null },
): Outcome {
  return outcomeOf({
    launch,
    text: '',
    loop_status: null,
    finish_reason: null,
    turn_count: 0,
    usage: NO_USAGE,
    model_used: null,
    thrown,
    stopped,
  });
}

function ownError(code: string, message: string, retryable = false): OutcomeError {
  return { code, message, retryable };
}

/** Unknown errors are converted here, once, with their class, code and origin kept. */
function thrownError(thrown: unknown): OutcomeError {
  const { type, message, code, retryable, origin } = errorInfo(thrown);
  return {
    code: code ?? (AmplifierError.is(thrown) ? type : 'EXECUTION_FAILED'),
    message: code ? message : `${type}: ${message}`,
    retryable: retryable ?? false,
    origin,
  };
}
