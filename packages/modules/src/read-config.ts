import { type JsonObject, KernelError } from '@amplifier/core';
import { z } from 'zod';

/** A module's configuration, checked. Throws with every fault and its place: the kernel then leaves the module out and says so. */
export function readConfig<Schema extends z.ZodType>(
  moduleId: string,
  schema: Schema,
  config: JsonObject,
): z.output<Schema> {
  const parsed = schema.safeParse(config);
  if (parsed.success) return parsed.data;
  throw new KernelError(`The config of ${moduleId} cannot be used:\n${z.prettifyError(parsed.error)}`, {
    code: 'MODULE_MOUNT_FAILED',
    origin: moduleId,
  });
}
