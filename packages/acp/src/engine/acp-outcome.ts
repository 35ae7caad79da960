import type { JsonObject, Usage } from '@amplifier/core';
import { type LaunchRecord, type Outcome, outcomeOf, type StopReason } from '@amplifier/delegation';
import type { AttemptEnd } from '../attempt/attempt-end.js';
import type { AcpErrorCode } from '../error-codes.js';

export interface AcpEnding {
  launch: LaunchRecord;
  end: AttemptEnd;
  stopped: StopReason | null;
  usage: Usage;
  structured: { data?: unknown; mismatch?: string };
  artifacts: JsonObject[];
  warnings: string[];
}

/** Failures that are a kind of outcome of their own. */
const STATUS_OF: Partial<Record<AcpErrorCode, 'refused' | 'denied'>> = {
  ACP_REFUSED: 'refused',
  ACP_DENIED: 'denied',
  WORKSPACE_NOT_TRUSTED: 'denied',
  MAX_DEPTH_EXCEEDED: 'denied',
};

const FINISH: Record<string, string> = { max_tokens: 'length' };

/** The one outcome of a turn of an external agent, by the same rules as for any other. */
export function acpOutcome({
  launch,
  end,
  stopped,
  usage,
  structured,
  artifacts,
  warnings,
}: AcpEnding): Outcome {
  const outcome = outcomeOf({
    launch,
    text: end.text,
    thrown: end.error,
    stopped,
    loop_status: end.stop_reason === 'max_turn_requests' ? 'incomplete' : null,
    finish_reason: FINISH[end.stop_reason ?? ''] ?? null,
    turn_count: end.prompts,
    usage,
    model_used: end.model,
    artifacts,
    warnings,
    ...structured,
  });
  const status = end.error ? STATUS_OF[end.error.code] : undefined;
  return outcome.status === 'failed' && status ? { ...outcome, status } : outcome;
}

/** What is particular to a turn of an external agent, for entry points that show it. */
export function acpArtifact(
  end: AttemptEnd,
  more: {
    fallback_chain: string[];
    requested_model: string | null;
    effort: string | null;
    sandbox: string;
    /** The turn ended, or was ended, without what was asked for. */
    failed: boolean;
  },
): JsonObject {
  return {
    kind: 'acp',
    agent: end.agent.id,
    provider: end.agent.provider,
    agent_version: end.agent_version,
    agent_session_id: end.agent_session_id,
    opened: end.opened,
    usage_partial: end.usage_partial,
    stop_reason: end.stop_reason,
    requested_model: more.requested_model,
    model: end.model,
    model_confirmed: end.model_confirmed,
    effort: more.effort,
    effort_applied: end.effort_applied,
    fallback_chain: more.fallback_chain,
    refused: end.refused,
    sandbox: more.sandbox,
    reexecution_safety: more.failed ? end.reexecution : null,
    stderr: end.error ? end.stderr : '',
  };
}
