import { type JsonObject, KernelError } from '@amplifier/core';
import { z } from 'zod';

const ContextConfig = z.looseObject({
  /** Tokens a request may take at most, however large the model's window is. */
  max_tokens: z.coerce.number().int().positive().optional(),
});
export type ContextConfig = z.infer<typeof ContextConfig>;

export function readContextConfig(config: JsonObject, moduleId: string): ContextConfig {
  const parsed = ContextConfig.safeParse(config);
  if (parsed.success) return parsed.data;
  throw new KernelError(`The config of ${moduleId} cannot be read: ${z.prettifyError(parsed.error)}`, {
    code: 'MODULE_MOUNT_FAILED',
    origin: moduleId,
  });
}
