import { requiresTrust, type SafetyMode } from '@amplifier/workspace';
import type { ReexecutionSafety } from '../error-codes.js';
import type { CircuitBreaker } from './circuit-breaker.js';

/** The agent is available, the requested model is not. */
const MODEL_FAILURES: ReadonlySet<string> = new Set([
  'MODEL_UNAVAILABLE',
  'PROVIDER_UNKNOWN',
  'STRICT_PREFERENCE',
  'ROLE_UNMET',
  'NOT_FOUND',
]);

export interface AttemptFailure {
  code: string;
  reexecution: ReexecutionSafety;
}

/** The failure of an attempt that was cancelled. It ends the fallback and is not counted against the agent. */
export const CANCELLED: AttemptFailure = { code: 'CANCELLED', reexecution: 'none' };

/** The model that an agent is tried on after `model`; null where it has none, or the caller allows none. */
export function fallbackModel(
  model: string | null,
  { fallback_model, allowed }: { fallback_model: string | null | undefined; allowed: boolean | undefined },
): string | null {
  return allowed === false || fallback_model === model ? null : (fallback_model ?? null);
}

export interface FallbackOptions<Target, Result> {
  primary: Target;
  /** The agent of `primary` on its fallback model; null where it has none. */
  modelFallback: Target | null;
  alternates: readonly Target[];
  safety_mode: SafetyMode;
  breaker: CircuitBreaker;
  /** True for targets whose attempt tells the breaker itself how it ended. Default: none. */
  recordsItself?: (target: Target) => boolean;
  agentOf: (target: Target) => string;
  labelOf: (target: Target) => string;
  /** `chain` is a copy of the labels tried or skipped so far. */
  attempt: (target: Target, chain: string[]) => Promise<Result>;
  /** Null for a success. */
  failureOf: (result: Result) => AttemptFailure | null;
}

/**
 * Runs `primary`. After a failure that is safe to re-execute it tries the same agent on its fallback model (only if the model was
 * the problem), then the alternates in order. An alternate whose breaker is open is skipped; the agent of `primary` never is.
 * Modes that change files never fall back. If everything fails, the result is that of `primary`. `chain` lists what was tried
 * or skipped before the result, or everything if there were several attempts and all failed.
 */
export async function runWithFallback<Target, Result>({
  primary,
  modelFallback,
  alternates,
  safety_mode,
  breaker,
  recordsItself = () => false,
  agentOf,
  labelOf,
  attempt,
  failureOf,
}: FallbackOptions<Target, Result>): Promise<{ result: Result; chain: string[] }> {
  const chain: string[] = [];
  const tryOne = async (target: Target) => {
    const result = await attempt(target, [...chain]);
    const failure = failureOf(result);
    if (!recordsItself(target)) breaker.record(agentOf(target), failure?.code ?? null);
    return { result, failure, final: failure?.reexecution !== 'safe' || requiresTrust(safety_mode) };
  };
  const first = await tryOne(primary);
  if (first.final) return { result: first.result, chain };
  chain.push(labelOf(primary));
  const onModel =
    modelFallback !== null && first.failure !== null && MODEL_FAILURES.has(first.failure.code)
      ? [modelFallback]
      : [];
  for (const target of [...onModel, ...alternates]) {
    if (agentOf(target) !== agentOf(primary) && breaker.isOpen(agentOf(target))) {
      chain.push(`${labelOf(target)} (benched)`);
      continue;
    }
    const next = await tryOne(target);
    if (next.final) return { result: next.result, chain };
    chain.push(labelOf(target));
  }
  return { result: first.result, chain: chain.length > 1 ? chain : [] };
}
