import { MCP_ERROR_CODES, type ReexecutionSafety, RUN_ERROR_CODES } from '../error-codes.js';

/** What was seen of a run while it went on. */
export interface Observed {
  /** A model answered, whatever it said. */
  model_calls: number;
  /** A tool was started. */
  tool_calls: number;
}

const FIXED: Readonly<Record<string, readonly [string, ReexecutionSafety]>> = {
  ...RUN_ERROR_CODES,
  ...MCP_ERROR_CODES,
};

/** May the task be run again elsewhere? By the code where it tells, else by what was seen. */
export function judgeReexecution(code: string, { model_calls, tool_calls }: Observed): ReexecutionSafety {
  const fixed = Object.hasOwn(FIXED, code) ? FIXED[code] : undefined;
  if (fixed) return fixed[1];
  if (tool_calls > 0) return 'ambiguous';
  return model_calls > 0 ? 'duplicate_cost' : 'safe';
}
