import { addCosts, addUsage, NO_USAGE, type Usage } from '@amplifier/core';

export interface CostReport {
  calls: number;
  /** Calls whose price is not known. With any, the cost is a lower bound. */
  unpriced_calls: number;
  cost_usd: string | null;
  usage: Usage;
  /** By provider and model. */
  by_model: Record<string, Usage>;
}

export const NO_COSTS: CostReport = {
  calls: 0,
  unpriced_calls: 0,
  cost_usd: null,
  usage: NO_USAGE,
  by_model: {},
};

export function addCall(report: CostReport, model: string, usage: Usage = NO_USAGE): CostReport {
  return {
    calls: report.calls + 1,
    unpriced_calls: report.unpriced_calls + (usage.cost_usd === null ? 1 : 0),
    cost_usd: addCosts(report.cost_usd, usage.cost_usd),
    usage: addUsage(report.usage, usage),
    by_model: { ...report.by_model, [model]: addUsage(report.by_model[model] ?? NO_USAGE, usage) },
  };
}
