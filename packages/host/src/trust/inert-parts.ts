import { isPlainObject, type JsonObject } from '@amplifier/core';
import type { Agent, AgentFrontmatter, Settings } from '@amplifier/foundation';
import { asOwnGuards } from './only-tighter.js';

/** What counts of a project's settings before anybody trusted the folder: what can only make a session more careful. */
export function inertSettings(settings: Settings): Settings {
  const { delegation } = settings;
  const mode = isPlainObject(delegation) ? delegation.default_safety_mode : undefined;
  const { modules } = asOwnGuards({
    ...(settings.modules?.hooks ? { modules: { hooks: settings.modules.hooks } } : {}),
    ...(settings.overrides ? { overrides: settings.overrides } : {}),
  });
  const guards = (modules?.hooks ?? []).filter(isGuard);
  return {
    ...(mode === undefined ? {} : { delegation: { default_safety_mode: mode } }),
    ...(guards.length > 0 ? { modules: { hooks: guards } } : {}),
  };
}

function isGuard(entry: unknown): boolean {
  return isPlainObject(entry) && typeof entry.id === 'string' && entry.id.endsWith(':project');
}

/** What an agent's file says beside its text. Empty when there is nothing. */
export function actsOfAgent(frontmatter: AgentFrontmatter): JsonObject {
  const { meta, name: _, description: __, model_role: ___, agents: ____, system, ...acting } = frontmatter;
  const { name: _____, description: ______, ...extras } = meta ?? {};
  const { instruction: _______, ...otherSystem } = system ?? {};
  return { ...extras, ...otherSystem, ...acting };
}

/** An agent of which only the text counts: who it is and what it is told. Which agents it may ask in turn only restricts it. */
export function inertAgent({ name, description, instruction, frontmatter }: Agent): Agent {
  const { model_role, agents } = frontmatter;
  return {
    name,
    description,
    instruction,
    frontmatter: {
      ...(model_role === undefined ? {} : { model_role }),
      ...(agents === undefined ? {} : { agents }),
    },
  };
}
