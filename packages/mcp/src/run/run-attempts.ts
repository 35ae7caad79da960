import type { Bench } from '../delegate/bench.js';
import type { DelegationResult } from '../delegate/envelope.js';
import { type Target, targetLabel } from '../delegate/resolve-target.js';
import type { RunRequest } from '../jobs/job-state.js';

/** The agent was there, its model was not. */
const MODEL_FAILURES = new Set([
  'MODEL_UNAVAILABLE',
  'PROVIDER_UNKNOWN',
  'STRICT_PREFERENCE',
  'ROLE_UNMET',
  'NOT_FOUND',
]);

export interface AttemptsOptions {
  request: RunRequest;
  bench: Bench;
  /** The model an agent is tried on when the one asked for is not to be had. */
  fallbackModel: (cli: string) => string | null;
  isStopped: () => boolean;
  /** Runs one target. `chain` is what was tried before it. */
  attempt: (target: Target, chain: string[]) => Promise<DelegationResult>;
}

/**
 * Runs the target, and where that failed without reaching anybody, the next: first the same agent on its fallback model,
 * then the alternates in order. Never when files may be changed. When all fail the first failure is the result.
 */
export async function runAttempts(options: AttemptsOptions): Promise<DelegationResult> {
  const { request, bench, fallbackModel, attempt } = options;
  const { target, fallback, allow_model_fallback } = request;
  const chain: string[] = [];
  const first = await tryTarget(target);
  if (first.ok || !mayGoOn(first)) return first;
  const model = allow_model_fallback ? fallbackModel(target.cli) : null;
  const again =
    model !== null && model !== target.model && first.error !== null && MODEL_FAILURES.has(first.error.code)
      ? [{ cli: target.cli, model }]
      : [];
  for (const alternate of [...again, ...fallback]) {
    if (alternate.cli !== target.cli && bench.isBenched(alternate.cli)) {
      chain.push(`${targetLabel(alternate)} (benched)`);
      continue;
    }
    const result = await tryTarget(alternate);
    if (result.ok || !mayGoOn(result)) return result;
  }
  return { ...first, fallback_chain: chain.length > 1 ? chain : [] };

  async function tryTarget(each: Target): Promise<DelegationResult> {
    const result = await attempt(each, [...chain]);
    chain.push(targetLabel(each));
    if (result.ok) bench.succeeded(each.cli);
    else if (result.error?.reexecution_safety === 'safe' && !options.isStopped()) bench.failed(each.cli);
    return result;
  }

  function mayGoOn({ error }: DelegationResult): boolean {
    if (request.safety_mode === 'write' || request.safety_mode === 'yolo') return false;
    return error?.reexecution_safety === 'safe' && !options.isStopped();
  }
}
