import type { Report } from './diagnostics.js';
import { KernelError } from './errors/kernel-error.js';

const CHARACTERS_PER_TOKEN = 4;

export interface InjectionLimits {
  injection_size_limit?: number | undefined;
  injection_budget_per_turn?: number | undefined;
}

/** Keeps count of what hooks put into the context. Unset limits mean unlimited. */
export class InjectionMeter {
  #tokens = 0;

  constructor(
    private readonly limits: InjectionLimits,
    private readonly report: Report,
  ) {}

  get tokensThisTurn(): number {
    return this.#tokens;
  }

  /** Counts one injection. Refuses one over the size limit; only warns when the turn's budget is passed. */
  count(text: string, hookName: string): void {
    const { injection_size_limit: sizeLimit, injection_budget_per_turn: budget } = this.limits;
    if (sizeLimit !== undefined && text.length > sizeLimit) {
      throw new KernelError(
        `Hook '${hookName}' wanted to inject ${text.length} characters; session.injection_size_limit allows ${sizeLimit}.`,
        { code: 'INJECTION_TOO_LARGE', origin: hookName },
      );
    }
    this.#tokens += Math.floor(text.length / CHARACTERS_PER_TOKEN);
    if (budget !== undefined && this.#tokens > budget) {
      this.report({
        level: 'warning',
        code: 'INJECTION_BUDGET_EXCEEDED',
        message: `Hooks injected about ${this.#tokens} tokens this turn; session.injection_budget_per_turn is ${budget}.`,
      });
    }
  }

  reset(): void {
    this.#tokens = 0;
  }
}
