import {
  AuthenticationError,
  ConfigurationError,
  errorInfo,
  LLMTimeoutError,
  type MountPlan,
  NotFoundError,
  ProviderUnavailableError,
  RateLimitError,
} from '@amplifier/core';
import { type ProviderPreference, promoteProvider } from '@amplifier/foundation';
import type { LaunchRecord } from '../launch-record.js';

/** One step down the candidates of a launch record. */
export interface Fallback {
  from: ModelName | null;
  to: ModelName;
  /** What the model before failed with. */
  error: { code: string | null; message: string };
}

type ModelName = Pick<ProviderPreference, 'provider' | 'model'>;

/** These say that this provider or model cannot serve us now. Another may; the request itself was not at fault. */
const OUT_OF_SERVICE = [
  ProviderUnavailableError,
  RateLimitError,
  LLMTimeoutError,
  AuthenticationError,
  NotFoundError,
  ConfigurationError,
];

export function isOutOfService(thrown: unknown): boolean {
  return OUT_OF_SERVICE.some((kind) => thrown instanceof kind);
}

/** The candidates of a launch in their order, each taken once, beginning after the one that was chosen. */
export class Candidates {
  readonly taken: Fallback[] = [];
  #current: ModelName | null;
  #rest: ProviderPreference[];

  constructor({ candidates, chosen }: LaunchRecord['model']) {
    const at = candidates.findIndex(
      ({ provider, model }) => provider === chosen?.provider && model === chosen?.model,
    );
    this.#current = chosen && nameOf(chosen);
    this.#rest = candidates.slice(at + 1);
  }

  /** The plan on the next candidate that it has a provider for, and the fact to keep. Null when there is none left. */
  next(plan: MountPlan, thrown: unknown): { plan: MountPlan; fallback: Fallback } | null {
    for (let to = this.#rest.shift(); to; to = this.#rest.shift()) {
      const promoted = promoteProvider(plan, to);
      if (promoted === plan) continue;
      const { code = null, message } = errorInfo(thrown);
      const fallback = { from: this.#current, to: nameOf(to), error: { code, message } };
      this.taken.push(fallback);
      this.#current = fallback.to;
      return { plan: promoted, fallback };
    }
    return null;
  }
}

function nameOf({ provider, model }: ProviderPreference): ModelName {
  return { provider, model };
}
