import { type JsonObject, KernelError, Memo } from '@amplifier/core';
import { z } from 'zod';
import { CANCEL_GRACE_SECONDS, MAX_ITERATIONS, MAX_TOOL_CALLS, MOST_TOOL_CALLS } from '../defaults.js';

const LoopConfig = z.looseObject({
  /** Model calls of one turn; zero or less means no limit. At the limit one more call asks for a conclusion. */
  max_iterations: z.coerce.number().int().default(MAX_ITERATIONS),
  /** Tool calls of one answer that are run. The others get an error result, so that the model can make them in its next answer. */
  max_tool_calls: z.coerce.number().int().min(1).max(MOST_TOOL_CALLS).default(MAX_TOOL_CALLS),
  /** Continue with any other provider when one fails. Without it, only the candidates of the session take over. */
  failover: z.boolean().default(true),
  cancel_grace: z.coerce.number().nonnegative().default(CANCEL_GRACE_SECONDS),
  model: z.string().optional(),
  temperature: z.number().optional(),
  max_output_tokens: z.number().int().positive().optional(),
  reasoning_effort: z.string().optional(),
});
export type LoopConfig = z.infer<typeof LoopConfig>;

/** Most sessions have the same: `npm run bench -- delegation` shows it. */
const READ = new Memo<LoopConfig>();

export function readLoopConfig(config: JsonObject, moduleId: string): LoopConfig {
  return READ.get(JSON.stringify(config), () => parseLoopConfig(config, moduleId));
}

function parseLoopConfig(config: JsonObject, moduleId: string): LoopConfig {
  const parsed = LoopConfig.safeParse(config);
  if (parsed.success) return parsed.data;
  throw new KernelError(`The config of ${moduleId} cannot be read: ${z.prettifyError(parsed.error)}`, {
    code: 'MODULE_MOUNT_FAILED',
    origin: moduleId,
  });
}
