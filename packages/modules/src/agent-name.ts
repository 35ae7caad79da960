import type { Coordinator } from '@amplifier/core';

/** The agent a session runs, as its launch wrote it into the plan; null for a session that runs none. */
export function agentName({ plan }: Pick<Coordinator, 'plan'>): string | null {
  const { agent_name, agent } = plan.session.metadata ?? {};
  for (const name of [agent_name, agent]) if (typeof name === 'string' && name !== '') return name;
  return null;
}
