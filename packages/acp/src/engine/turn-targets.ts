import type { McpServer } from '@agentclientprotocol/sdk';
import type { LaunchRecord } from '@amplifier/delegation';
import { requiresTrust } from '@amplifier/workspace';
import { ENGINE_PREFIX, splitTarget } from '../roster/agent-catalog.js';
import type { Effort } from '../roster/descriptor.js';
import type { Roster } from '../roster/roster.js';
import type { AttemptTarget } from './attempt-context.js';
import type { KeptSession } from './kept-session.js';
import type { AcpWishes } from './wishes.js';

/**
 * Who is to be tried, in order: the agent itself, the same on its fallback model, then whoever was named. Nobody after
 * the first where files may be changed. Throws `UNKNOWN_TARGET`.
 */
export function turnTargets(
  { engine, safety_mode }: Pick<LaunchRecord, 'engine' | 'safety_mode'>,
  wishes: AcpWishes,
  kept: KeptSession | null,
  { roster, defaultEffort }: { roster: Roster; defaultEffort: Effort | null },
): AttemptTarget[] {
  const named = engine.slice(ENGINE_PREFIX.length);
  const agent = roster.get(kept && roster.has(kept.agent) ? kept.agent : named);
  const effort = wishes.effort ?? agent.default_effort ?? defaultEffort;
  const mcp_servers = (wishes.mcp_servers ?? []) as unknown as McpServer[];
  const shared = { effort, mcp_servers, earlier: null };
  const model = wishes.model ?? agent.default_model;
  const first = { ...shared, agent, model, softModel: wishes.model == null, earlier: kept?.id ?? null };
  if (requiresTrust(safety_mode)) return [first];
  const { fallback_model } = agent;
  const again =
    wishes.allow_model_fallback !== false && fallback_model !== null && fallback_model !== model
      ? [{ ...first, model: fallback_model, softModel: false }]
      : [];
  const others = (wishes.fallback ?? []).map((wish) => {
    const { id, model: tail } = splitTarget(typeof wish === 'string' ? wish : wish.cli, roster);
    const other = roster.get(id);
    const own = (typeof wish === 'string' ? tail : (wish.model ?? tail)) ?? other.default_model;
    return { ...shared, agent: other, model: own, softModel: false };
  });
  return [first, ...again, ...others];
}

/** The same agent once more, on another model. */
export function isModelFallback(next: AttemptTarget | undefined, target: AttemptTarget): boolean {
  return next !== undefined && next.agent.id === target.agent.id && next.earlier === target.earlier;
}

export function targetLabel({ agent, model }: AttemptTarget): string {
  return model === null ? agent.id : `${agent.id}:${model}`;
}
