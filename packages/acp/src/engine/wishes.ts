import { isPlainObject } from '@amplifier/core';
import type { LaunchRecord } from '@amplifier/delegation';
import { z } from 'zod';
import { AcpError } from '../acp-error.js';
import { Effort } from '../roster/descriptor.js';

const Target = z.union([
  z.string().min(1),
  z.object({ cli: z.string().min(1), model: z.string().nullable().optional() }),
]);

const McpServerWish = z.looseObject({ name: z.string().min(1) });

/**
 * What a delegation to an external agent may ask for beside its instruction. It is the member `acp` of the request's metadata, or
 * of the agent's own declarations; the request goes first.
 */
export const AcpWishes = z.object({
  model: z.string().nullable().optional(),
  effort: Effort.nullable().optional(),
  /** Tried in order when nothing of the task has run yet. */
  fallback: z.array(Target).optional(),
  /** Try the agent's own fallback model before another agent. Default: yes. */
  allow_model_fallback: z.boolean().optional(),
  /** In the form of the protocol's `mcpServers`. */
  mcp_servers: z.array(McpServerWish).optional(),
});
export type AcpWishes = z.infer<typeof AcpWishes>;

export function readWishes({ plan, engine }: Pick<LaunchRecord, 'plan' | 'engine'>): AcpWishes {
  const own = isPlainObject(plan.acp) ? plan.acp : {};
  const { metadata } = plan.session as { metadata?: unknown };
  const asked = isPlainObject(metadata) && isPlainObject(metadata.acp) ? metadata.acp : {};
  const wishes = { ...own, ...asked };
  if (Object.keys(wishes).length === 0) return {};
  const parsed = AcpWishes.safeParse(wishes);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new AcpError(
    `The wishes for ${engine} cannot be read: acp.${issue?.path.join('.')}: ${issue?.message}`,
    {
      code: 'ROSTER_INVALID',
      origin: engine,
    },
  );
}
