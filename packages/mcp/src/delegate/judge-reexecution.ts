import type { ReexecutionSafety } from '@amplifier/host';
import { MCP_ERROR_CODES, RUN_ERROR_CODES } from '../error-codes.js';

/** What was seen of a run while it went on. */
export interface Observed {
  /** The prompt was sent to a model. */
  requests: number;
  /** A model answered, whatever it said. */
  model_calls: number;
  /** A tool was started. */
  tool_calls: number;
}

export const NOTHING_OBSERVED: Observed = { requests: 0, model_calls: 0, tool_calls: 0 };

/** The provider turned the request away before it did anything with it. */
const TURNED_AWAY = new Set([
  'AUTHENTICATION',
  'ACCESS_DENIED',
  'NOT_FOUND',
  'RATE_LIMIT',
  'CONFIGURATION',
  'INVALID_REQUEST',
  'CONTEXT_LENGTH',
  'PROVIDER_UNAVAILABLE',
]);

const FIXED: Readonly<Record<string, readonly [string, ReexecutionSafety]>> = {
  ...RUN_ERROR_CODES,
  ...MCP_ERROR_CODES,
};

/** May the task be run again elsewhere? By the code where it tells, else by what was seen. */
export function judgeReexecution(code: string, observed: Observed): ReexecutionSafety {
  const fixed = Object.hasOwn(FIXED, code) ? FIXED[code] : undefined;
  if (fixed) return fixed[1];
  if (observed.tool_calls > 0) return 'ambiguous';
  if (observed.model_calls > 0) return 'duplicate_cost';
  return observed.requests > 0 && !TURNED_AWAY.has(code) ? 'duplicate_cost' : 'safe';
}
