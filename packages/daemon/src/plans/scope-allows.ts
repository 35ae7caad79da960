import { isPlainObject, isSameJson, type JsonObject } from '@amplifier/core';
import type { Scope } from '../auth/scope.js';
import { DaemonError } from '../daemon-error.js';
import type { MountPoint, PlanBase } from './plan-schema.js';

/**
 * What a token of the scope `run` may put into a session beyond its profile, whether by overlay, settings, agent or imported plan.
 * Everything that is not written here needs `admin`: it could read files, run programs or send the operator's keys elsewhere.
 */
const MODEL = [
  'model',
  'default_model',
  'temperature',
  'max_output_tokens',
  'max_tokens',
  'reasoning_effort',
];
const LOOP = ['max_iterations', 'model', 'temperature', 'max_output_tokens', 'reasoning_effort'];

/** Members of a module's config that may be set. */
const CONFIG: Readonly<Record<string, readonly string[]>> = {
  'provider-anthropic': MODEL,
  'provider-openai': MODEL,
  'provider-azure-openai': MODEL,
  'provider-gemini': MODEL,
  'provider-ollama': MODEL,
  'provider-openai-compatible': MODEL,
  'loop-basic': LOOP,
  'loop-streaming': LOOP,
  'context-simple': ['max_tokens'],
  'context-persistent': ['max_tokens'],
  'tool-bash': ['timeout'],
  'hooks-cost': ['warn_at_usd'],
  'hooks-streaming-ui': ['coalesce_ms', 'preview_characters', 'show_thinking'],
};

/** Modules that may be added: they act within the session's grant and sandbox, or do not act. */
const ADDED: ReadonlySet<string> = new Set([
  'tool-filesystem',
  'tool-search',
  'tool-bash',
  'tool-todo',
  'tool-delegate',
  'tool-task',
  'hooks-approval',
  'hooks-cost',
  'hooks-streaming-ui',
]);

/** What may be said about an agent; its `tools` are checked as modules. */
const AGENT = ['description', 'display_name', 'model_role'];

/** Plain settings of a session. */
const SESSION: readonly string[] = [];

/** Throws when a token of this scope may not turn `base`, the plan of the profile or of the parent, into `plan`. */
export function checkPlanFor(scope: Scope, base: PlanBase, plan: PlanBase): void {
  if (scope === 'admin') return;
  const known = new Map(base.mount_points.map((mount) => [mount.module_id, mount]));
  for (const mount of plan.mount_points) {
    const from = known.get(mount.module_id);
    if (from) checkChanged(scope, from, mount);
    else checkAdded(scope, mount);
    known.delete(mount.module_id);
  }
  for (const { module_type, enabled, module_id } of known.values())
    if (module_type === 'hook' && enabled)
      throw needsAdmin(scope, `a plan without ${module_id}: hooks guard the session`);
  const { instruction, session, task, agent_access } = plan.session;
  if (base.session.agent_access === 'roster' && agent_access !== 'roster')
    throw needsAdmin(scope, 'more agents than its profile lists');
  if (instruction !== base.session.instruction)
    throw needsAdmin(scope, 'another instruction than its profile has');
  if (!isSameJson(task, base.session.task))
    throw needsAdmin(scope, 'other task settings than its profile has');
  for (const key of changedKeys(base.session.session, session))
    if (!SESSION.includes(key)) throw needsAdmin(scope, `the session setting ${key}`);
}

function checkAdded(scope: Scope, mount: MountPoint): void {
  const { module = '', module_id, mount_type, metadata } = mount;
  if (mount_type === 'embedded') {
    checkConfig(scope, mount, {}, null);
    checkAgent(scope, mount, {});
    return;
  }
  if (!ADDED.has(module) || mount.source_path !== `builtin:${module}`)
    throw needsAdmin(scope, `the module ${module}`);
  if (Object.keys(metadata).some((key) => key !== 'origin'))
    throw needsAdmin(scope, `metadata of the module ${module_id}`);
  checkConfig(scope, mount, {}, CONFIG[module] ?? []);
}

function checkChanged(scope: Scope, from: MountPoint, to: MountPoint): void {
  const { module_id } = to;
  const { content: _, ...before } = { content: '', ...from };
  const { content: __, ...after } = { content: '', ...to };
  for (const key of changedKeys(before, after))
    if (!['config', 'metadata', 'enabled'].includes(key))
      throw needsAdmin(scope, `another ${key} for ${module_id}`);
  if (from.module_type === 'hook' && from.enabled && !to.enabled)
    throw needsAdmin(scope, `${module_id} disabled: hooks guard the session`);
  if (to.mount_type === 'embedded') {
    checkConfig(scope, to, from.config, null);
    checkAgent(scope, to, from.metadata);
    return;
  }
  if (!isSameJson(from.metadata, to.metadata)) throw needsAdmin(scope, `other metadata for ${module_id}`);
  checkConfig(scope, to, from.config, CONFIG[to.module ?? ''] ?? []);
}

/** `allowed` is null for agents and contexts, whose config is data that only their text refers to. */
function checkConfig(
  scope: Scope,
  { module_id, config }: MountPoint,
  before: JsonObject,
  allowed: readonly string[] | null,
): void {
  for (const key of changedKeys(before, config)) {
    const value = config[key];
    if (allowed !== null && (!allowed.includes(key) || (typeof value === 'object' && value !== null)))
      throw needsAdmin(scope, `config.${key} of ${module_id}`);
    if (JSON.stringify(value ?? null).includes('${'))
      throw needsAdmin(scope, `a reference to the daemon's environment in config.${key} of ${module_id}`);
  }
}

function checkAgent(scope: Scope, { module_id, metadata }: MountPoint, before: JsonObject): void {
  for (const key of changedKeys(before, metadata)) {
    if (key === 'origin' || AGENT.includes(key)) continue;
    if (key === 'tools' && Array.isArray(metadata.tools) && metadata.tools.every(isAddedTool)) continue;
    throw needsAdmin(scope, `${key} of ${module_id}`);
  }
}

function isAddedTool(entry: unknown): boolean {
  if (typeof entry === 'string') return ADDED.has(entry);
  return isPlainObject(entry) && Object.keys(entry).length === 1 && ADDED.has(String(entry.module));
}

function changedKeys(before: JsonObject, after: JsonObject): string[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].filter((key) => !isSameJson(before[key], after[key]));
}

function needsAdmin(scope: Scope, what: string): DaemonError {
  return new DaemonError(
    'INSUFFICIENT_SCOPE',
    `A token with scope ${scope} may not give a session ${what}. Put it into the profile, or use a token with scope admin.`,
    { members: { scope: 'admin' } },
  );
}
