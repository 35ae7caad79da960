import type { McpServer } from '@agentclientprotocol/sdk';
import type { LaunchRecord } from '@amplifier/delegation';
import type { AttemptTarget } from '../attempt/attempt-context.js';
import { fallbackModel } from '../fallback/run-with-fallback.js';
import { ENGINE_PREFIX, splitTarget } from '../roster/agent-catalog.js';
import type { Effort } from '../roster/descriptor.js';
import type { Roster } from '../roster/roster.js';
import type { KeptSession } from './kept-session.js';
import type { AcpWishes } from './wishes.js';

export interface TurnTargets {
  primary: AttemptTarget;
  modelFallback: AttemptTarget | null;
  alternates: AttemptTarget[];
}

/** Resolves the agent of a turn and its alternates. Throws `UNKNOWN_TARGET`. */
export function turnTargets(
  { engine }: Pick<LaunchRecord, 'engine'>,
  wishes: AcpWishes,
  kept: KeptSession | null,
  { roster, defaultEffort }: { roster: Roster; defaultEffort: Effort | null },
): TurnTargets {
  const named = engine.slice(ENGINE_PREFIX.length);
  const agent = roster.get(kept && roster.has(kept.agent) ? kept.agent : named);
  const effort = wishes.effort ?? agent.default_effort ?? defaultEffort;
  const mcp_servers = (wishes.mcp_servers ?? []) as unknown as McpServer[];
  const shared = { effort, mcp_servers, earlier: null };
  const model = wishes.model ?? agent.default_model;
  const primary = { ...shared, agent, model, softModel: wishes.model == null, earlier: kept?.id ?? null };
  const allowed = wishes.allow_model_fallback;
  const next = fallbackModel(model, { fallback_model: agent.fallback_model, allowed });
  const modelFallback = next === null ? null : { ...primary, model: next, softModel: false };
  const alternates = (wishes.fallback ?? []).map((wish) => {
    const { id, model: tail } = splitTarget(typeof wish === 'string' ? wish : wish.cli, roster);
    const other = roster.get(id);
    const own = (typeof wish === 'string' ? tail : (wish.model ?? tail)) ?? other.default_model;
    return { ...shared, agent: other, model: own, softModel: false };
  });
  return { primary, modelFallback, alternates };
}

export function targetLabel({ agent, model }: AttemptTarget): string {
  return model === null ? agent.id : `${agent.id}:${model}`;
}
