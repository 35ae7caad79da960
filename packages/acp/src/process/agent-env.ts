import { programEnv } from '@amplifier/workspace';
import type { AgentDescriptor } from '../roster/descriptor.js';

/** A proxy may want a password, and the agent's model is behind it. */
const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'];

/** How deeply agents are nested; limits chains of agents. */
export const DEPTH_VARIABLE = 'AMPLIFIER_DEPTH';

/** The whole environment of an agent: the common names, its own needs, its settings, and nothing else of ours. */
export function agentEnv(
  { env_passthrough, env }: Pick<AgentDescriptor, 'env_passthrough' | 'env'>,
  own: NodeJS.ProcessEnv,
  added: Record<string, string> = {},
): Record<string, string> {
  return { ...programEnv(own, [...PROXIES, ...env_passthrough]), ...env, ...added };
}

/** How deep this very process is. A value that is no number means that somebody meddled: the deepest there is. */
export function depthFrom(env: NodeJS.ProcessEnv): number {
  const text = env[DEPTH_VARIABLE];
  if (text === undefined || text === '') return 0;
  return /^\d{1,3}$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
}
