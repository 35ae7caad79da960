import type { JsonObject, ToolResult } from '@amplifier/core';
import { RESPONSE_CHARACTERS } from './defaults.js';
import type { LaunchRecord } from './launch-record.js';
import { OUTCOME_VIEWS, type Outcome, outcomeText } from './outcome.js';

/** What a delegation gives to the model that asked for it. */
export interface DelegateResult extends JsonObject {
  response: string;
  session_id: string;
  agent: string | null;
  status: string;
  turn_count: number;
  metadata: JsonObject;
  provider_routing?: JsonObject;
}

export function delegateResult(outcome: Outcome, launch: Pick<LaunchRecord, 'model'>): DelegateResult {
  const { session_id, agent, turn_count } = outcome;
  const routing = providerRouting(outcome, launch);
  return {
    response: shorten(outcomeText(outcome), session_id),
    session_id,
    agent,
    status: OUTCOME_VIEWS[outcome.status].result,
    turn_count,
    metadata: resultMetadata(outcome),
    ...(routing ? { provider_routing: routing } : {}),
  };
}

/** Also an unfinished delegation says all it has: the partial text, what went wrong, and the session to resume. */
export function delegateToolResult(outcome: Outcome, launch: Pick<LaunchRecord, 'model'>): ToolResult {
  const output = delegateResult(outcome, launch);
  if (outcome.status === 'completed') return { success: true, output };
  const { message, code, retryable } = outcome.error;
  return { success: false, output: { ...output, error: outcome.error }, error: { message, code, retryable } };
}

function resultMetadata(outcome: Outcome): JsonObject {
  const { model_used, usage, cost, warnings, artifacts, resumable } = outcome;
  return {
    model_used,
    usage,
    cost,
    resumable,
    ...(warnings.length > 0 ? { warnings } : {}),
    ...(artifacts.length > 0 ? { artifacts } : {}),
    ...(outcome.status === 'needs_input' ? { question: outcome.question } : {}),
    ...(outcome.status === 'limit' ? { limit: outcome.limit } : {}),
    ...(outcome.status === 'cancelled' ? { cancelled_by: outcome.by } : {}),
    ...(outcome.status === 'completed' && outcome.data !== undefined ? { data: outcome.data } : {}),
  };
}

/** Present when somebody asked for a model: what was asked, what came of it, and what really ran. */
function providerRouting(
  { model_used, fallbacks }: Outcome,
  { model }: Pick<LaunchRecord, 'model'>,
): JsonObject | null {
  const { requested, candidates, because } = model;
  if (requested.model_role === null && requested.provider_preferences === null && candidates.length === 0)
    return null;
  return {
    ...requested,
    resolved: candidates.length > 0 ? candidates : null,
    model_used,
    because,
    ...(fallbacks ? { fallbacks } : {}),
  };
}

function shorten(text: string, session_id: string): string {
  if (text.length <= RESPONSE_CHARACTERS) return text;
  return `${text.slice(0, RESPONSE_CHARACTERS)}\n... [${text.length - RESPONSE_CHARACTERS} more characters are in the transcript of session ${session_id}]`;
}
