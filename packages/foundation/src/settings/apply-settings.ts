import {
  cloneJson,
  isPlainObject,
  type JsonObject,
  type ModuleSpec,
  type MountPlan,
  mergeModuleLists,
  moduleSpec,
  sessionModuleSpec,
  setOwn,
} from '@amplifier/core';
import { mergeToolConfig } from '../merge/merge-tool-config.js';
import type { Settings } from './settings-schema.js';

/**
 * A plan with the settings laid over it: overrides by module id wherever the module stands (in agents too), then the
 * sections made for one thing, which go before them. A new plan; neither input changes.
 */
export function applySettings(plan: MountPlan, settings: Settings): MountPlan {
  const { tools, hooks } = settings.modules ?? {};
  const { providers } = settings.config ?? {};
  const configured = override(cloneJson(plan), moduleConfigs(settings));
  const applied = override(configured, settings.overrides ?? {}) as MountPlan;
  if (providers) applied.providers = mergeModuleLists(applied.providers, providers.map(labelled));
  if (tools) applied.tools = mergeModuleLists(applied.tools, tools);
  if (hooks) applied.hooks = mergeModuleLists(applied.hooks, hooks);
  const { matrix, overrides } = settings.routing ?? {};
  const routing = { ...(matrix ? { matrix } : {}), ...(overrides ? { overrides } : {}) };
  if (applied.hooks && Object.keys(routing).length > 0)
    applied.hooks = applied.hooks.map((hook) => withRouting(hook, routing));
  return applied;
}

/** What the settings say under `modules` of single modules, by their ids. */
export function moduleConfigs({ modules = {} }: Settings): Overrides {
  const { tools: _, hooks: __, ...byId } = modules;
  return Object.fromEntries(
    Object.entries(byId).flatMap(([id, config]) => (isPlainObject(config) ? [[id, { config }]] : [])),
  );
}

/** The id of a provider in settings is the name it is mounted under. */
function labelled(entry: unknown): unknown {
  const spec = moduleSpec(entry);
  if (!spec?.id || spec.instance_id) return entry;
  return { ...spec, instance_id: spec.id };
}

function withRouting(entry: string | ModuleSpec, routing: JsonObject): string | ModuleSpec {
  const spec = moduleSpec(entry);
  return spec?.module === 'hooks-routing'
    ? { ...spec, config: { ...spec.config, ...cloneJson(routing) } }
    : entry;
}

/** A bare id that something is set for. */
function longForm(item: unknown, overrides: Overrides): unknown {
  return typeof item === 'string' && Object.hasOwn(overrides, item) ? { module: item } : item;
}

type Overrides = NonNullable<Settings['overrides']>;

/** A plan, or the overlay of an agent, with the long form of the session's modules that something is set for. */
function longSession(plan: JsonObject, overrides: Overrides): JsonObject {
  if (!isPlainObject(plan.session)) return plan;
  const session: JsonObject = { ...plan.session };
  for (const part of ['orchestrator', 'context'] as const)
    if (typeof session[part] === 'string' && Object.hasOwn(overrides, session[part]))
      session[part] = sessionModuleSpec(plan as unknown as MountPlan, part);
  return { ...plan, session };
}

/** Walks the plan; an entry is an object with a `module`, or a bare id in a list of modules or in the session. */
function override(value: unknown, overrides: Overrides): unknown {
  if (Array.isArray(value)) return value.map((item) => override(item, overrides));
  if (!isPlainObject(value)) return value;
  const walked: JsonObject = {};
  for (const [key, member] of Object.entries(longSession(value, overrides))) {
    const isList = ['providers', 'tools', 'hooks'].includes(key) && Array.isArray(member);
    const items = isList ? member.map((item) => longForm(item, overrides)) : member;
    setOwn(walked, key, override(items, overrides));
  }
  const own =
    typeof walked.module === 'string' && Object.hasOwn(overrides, walked.module)
      ? overrides[walked.module]
      : undefined;
  if (!own) return walked;
  return {
    ...walked,
    ...(own.source === undefined ? {} : { source: own.source }),
    ...(own.config === undefined
      ? {}
      : { config: mergeToolConfig(isPlainObject(walked.config) ? walked.config : {}, own.config) }),
  };
}
