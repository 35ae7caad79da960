import {
  type AmplifierModule,
  type ChatResponse,
  compareDecimals,
  EVENTS,
  isDecimal,
  type JsonObject,
} from '@amplifier/core';
import { z } from 'zod';
import { readConfig } from '../../read-config.js';
import { addCall, type CostReport, NO_COSTS } from './cost-report.js';

declare module '@amplifier/core' {
  interface Capabilities {
    /** What the model calls of this session have used so far. */
    'session.cost_report': () => CostReport;
  }
  interface EventPayloads {
    'cost:updated': CostReport;
  }
}

const Config = z.object({
  /** Tell the user once when the session has cost more than this many US dollars. */
  warn_at_usd: z
    .union([z.string(), z.number().transform(String)])
    .refine(isDecimal, 'write the sum as a decimal such as "2.50"')
    .optional(),
});

const COST_UPDATED = 'cost:updated';

/** Adds up what the session's model calls use and cost. */
const module: AmplifierModule = {
  mount(coordinator, config: JsonObject) {
    const { warn_at_usd } = readConfig('hooks-cost', Config, config);
    const { hooks, contributions } = coordinator;
    let report = NO_COSTS;
    let warned = false;

    coordinator.registerCapability('session.cost_report', () => report);
    const stops = [
      contributions.register('session.cost', 'hooks-cost', () => ({
        cost_usd: report.cost_usd,
        usage: report.usage,
      })),
      contributions.register('observability.events', 'hooks-cost', () => [COST_UPDATED]),
      hooks.listen(
        EVENTS.PROVIDER_RESPONSE,
        async (_event, data) => {
          const { provider, model, response } = data as {
            provider: string;
            model?: string;
            response: ChatResponse;
          };
          report = addCall(report, `${provider}/${response.model ?? model ?? 'unknown'}`, response.usage);
          await hooks.emit(COST_UPDATED, report);
          if (warned || !isOver(report.cost_usd, warn_at_usd)) return;
          warned = true;
          const message = `This session has cost $${report.cost_usd}, more than the $${warn_at_usd} you wanted to hear of.`;
          coordinator.display?.showMessage(message, 'warning', 'hooks-cost');
          await hooks.emit(EVENTS.USER_NOTIFICATION, { message, level: 'warning', source: 'hooks-cost' });
        },
        { name: 'hooks-cost' },
      ),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  },
};
export default module;

function isOver(cost: string | null, limit: string | undefined): boolean {
  return cost !== null && limit !== undefined && compareDecimals(cost, limit) > 0;
}
