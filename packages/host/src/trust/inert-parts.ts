import { isPlainObject, type JsonObject, moduleSpec } from '@amplifier/core';
import type { Agent, AgentFrontmatter, Settings } from '@amplifier/foundation';
import { asOwnGuards, isProjectsGuard } from './only-tighter.js';

/** What counts of a project's settings before anybody trusted the folder: what can only make a session more careful. */
export function inertSettings(settings: Settings): Settings {
  const { delegation } = settings;
  const mode = isPlainObject(delegation) ? delegation.default_safety_mode : undefined;
  const { modules } = asOwnGuards({
    ...(settings.modules ? { modules: settings.modules } : {}),
    ...(settings.overrides ? { overrides: settings.overrides } : {}),
  });
  // Its patterns for redaction would be run over everything: they wait until somebody has looked at them.
  const guards = (modules?.hooks ?? []).filter(
    (entry) => isProjectsGuard(entry) && moduleSpec(entry)?.module === 'hooks-approval',
  );
  return {
    ...(mode === undefined ? {} : { delegation: { default_safety_mode: mode } }),
    ...(settings.network === undefined ? {} : { network: settings.network }),
    ...(guards.length > 0 ? { modules: { hooks: guards } } : {}),
    // Of a project's rules only those count that ask or deny.
    ...(settings.permissions === undefined ? {} : { permissions: settings.permissions }),
  };
}

/** What chooses among models that the user set up, is text, or can only narrow what the agent gets. */
const INERT = [
  'model_role',
  'inherit_tools',
  'exclude_tools',
  'skills',
  'safety_mode',
  'network',
  'limits',
  'needs_servers',
  'only_tools',
];

/** What an agent's file says beside its text. Empty when there is nothing. */
export function actsOfAgent(frontmatter: AgentFrontmatter): JsonObject {
  const { meta, name: _, description: __, agents: ____, system, ...rest } = frontmatter;
  const acting = Object.fromEntries(Object.entries(rest).filter(([key]) => !INERT.includes(key)));
  const { name: _____, description: ______, ...extras } = meta ?? {};
  const { instruction: _______, ...otherSystem } = system ?? {};
  return { ...extras, ...otherSystem, ...acting };
}

/** An agent of which only the text counts: who it is and what it is told. Which agents it may ask in turn only restricts it. */
export function inertAgent({ name, description, instruction, frontmatter }: Agent): Agent {
  const kept = Object.entries(frontmatter).filter(([key]) => [...INERT, 'agents'].includes(key));
  return { name, description, instruction, frontmatter: Object.fromEntries(kept) };
}
