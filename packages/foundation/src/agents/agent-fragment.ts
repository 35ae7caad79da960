import { cloneJson, type JsonObject } from '@amplifier/core';
import type { Agent } from './agent-schema.js';

/**
 * The agent as an overlay for its parent's mount plan: everything it declares, its extra `meta` members at the top
 * level too, and its prompt under `instruction`. Shares nothing with the agent.
 */
export function agentFragment({ name, description, instruction, frontmatter }: Agent): JsonObject {
  const { meta = {}, system, agents, ...declared } = frontmatter;
  const { name: _, description: __, ...extras } = meta;
  const { instruction: ___, ...otherSystem } = system ?? {};
  return cloneJson({
    ...extras,
    ...declared,
    name,
    description,
    ...(instruction === null ? {} : { instruction }),
    ...(Object.keys(otherSystem).length > 0 ? { system: otherSystem } : {}),
    ...(typeof agents === 'string' || Array.isArray(agents) ? { agents } : {}),
  });
}
