import { type JsonObject, KernelError } from '@amplifier/core';
import { z } from 'zod';
import { CANCEL_GRACE_SECONDS, MAX_ITERATIONS } from '../defaults.js';

const LoopConfig = z.looseObject({
  /** Model calls of one turn; zero or less means no limit. At the limit one more call asks for a conclusion. */
  max_iterations: z.coerce.number().int().default(MAX_ITERATIONS),
  /** Continue with the next provider when one fails before it has said anything. */
  failover: z.boolean().default(true),
  cancel_grace: z.coerce.number().nonnegative().default(CANCEL_GRACE_SECONDS),
  model: z.string().optional(),
  temperature: z.number().optional(),
  max_output_tokens: z.number().int().positive().optional(),
  reasoning_effort: z.string().optional(),
});
export type LoopConfig = z.infer<typeof LoopConfig>;

export function readLoopConfig(config: JsonObject, moduleId: string): LoopConfig {
  const parsed = LoopConfig.safeParse(config);
  if (parsed.success) return parsed.data;
  throw new KernelError(`The config of ${moduleId} cannot be read: ${z.prettifyError(parsed.error)}`, {
    code: 'MODULE_MOUNT_FAILED',
    origin: moduleId,
  });
}
