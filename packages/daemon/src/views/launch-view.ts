import { addCosts, redactSecrets } from '@amplifier/core';
import type { LaunchRecord } from '@amplifier/delegation';
import type { SessionNode } from '@amplifier/sessions';
import { explainGrant } from '@amplifier/workspace';
import { z } from '@hono/zod-openapi';

const freeForm = z.record(z.string(), z.unknown());

export const LaunchView = z
  .object({
    session_id: z.string(),
    agent: z.string().nullable(),
    engine: z.string(),
    instruction: z.string(),
    system_prompt: z.string().nullable(),
    safety_mode: z.string(),
    workspace: freeForm,
    model: freeForm.openapi({ description: '`candidates`, `chosen`, and `because`: why it is this one.' }),
    context: freeForm.openapi({
      description: 'Which context was passed, and what was dropped and why.',
    }),
    grant: freeForm,
    grant_in_words: z.array(z.string()),
    limits: z.array(
      z.object({
        name: z.string(),
        limit: z.union([z.number(), z.string()]).nullable().openapi({ description: 'Null: none.' }),
        used: z.union([z.number(), z.string()]).nullable().openapi({ description: 'Null: unknown.' }),
      }),
    ),
    tools: z.array(z.string()),
    record: freeForm.openapi({ description: 'All of it, without secrets.' }),
  })
  .openapi('Launch');

/** What a session was, or would be, launched with, for people. `below`: the session and everything below it. */
export function launchView(
  launch: LaunchRecord,
  below: readonly SessionNode[] = [],
): z.infer<typeof LaunchView> {
  const { agent, plan, grant, workspace } = launch;
  const record = redactSecrets(launch) as unknown as Record<string, unknown>;
  return {
    session_id: launch.session_id,
    agent: agent.name,
    engine: launch.engine,
    instruction: launch.instruction,
    system_prompt: agent.instruction,
    safety_mode: launch.safety_mode,
    workspace: { ...workspace },
    model: redactSecrets({ ...launch.model }),
    context: { ...launch.context },
    grant: { ...grant },
    grant_in_words: explainGrant(grant, {
      isolated: workspace.isolation !== 'none',
      external: launch.engine !== 'in_process',
    }).split('\n'),
    limits: limitsOf(launch, below),
    tools: (plan?.tools ?? []).map((entry) => (typeof entry === 'string' ? entry : String(entry.module))),
    record,
  };
}

function limitsOf({ limits, depth, session_id }: LaunchRecord, below: readonly SessionNode[]) {
  const self = below.find((node) => node.session_id === session_id);
  const tokens = below.reduce((sum, { usage }) => sum + usage.total_tokens, 0);
  const cost = below.reduce<string | null>((sum, { usage }) => addCosts(sum, usage.cost_usd), null);
  const started = self?.started ? Date.parse(self.started) : null;
  const until = self?.ended ? Date.parse(self.ended) : Date.now();
  const used: Record<string, number | string | null> = {
    max_depth: depth,
    max_children: Math.max(0, below.length - 1),
    max_concurrency: below.filter(({ status }) => status === 'active').length,
    max_tokens: tokens,
    max_cost_usd: cost,
    timeout: started === null ? null : Math.round((until - started) / 1_000),
  };
  return Object.entries(limits)
    .filter(([name]) => name !== 'allow_unpriced')
    .map(([name, limit]) => ({ name, limit: limit as number | string | null, used: used[name] ?? null }));
}
