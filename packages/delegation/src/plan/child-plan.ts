import {
  frozenWithoutSecrets,
  isJson,
  isPlainObject,
  type JsonObject,
  Memo,
  type MountPlan,
  moduleSpec,
  Plan,
} from '@amplifier/core';
import { inheritHooks, inheritTools, joinRosters, mergeConfigs } from '@amplifier/foundation';
import type { DelegateConfig } from '../request/delegate-config.js';
import type { DelegateRequest } from '../request/request.js';
import { type AgentTerms, readOverlay } from './read-overlay.js';

/** What all sessions share that are launched alike. */
export interface SharedPlan {
  plan: Plan;
  /** What the agent lays over the plan it starts from, without secrets, as it is stored. */
  overlay: JsonObject;
  agent: AgentTerms;
}

/** Which tools and hooks a child does not get, or the only ones it gets. */
type Selection = Pick<DelegateRequest, 'inherit_tools' | 'exclude_tools' | 'exclude_hooks'>;

/** By hash: one plan for all roots of an entry point and one for all children of an agent. `npm run bench -- delegation` shows it. */
const PLANS = new Memo<SharedPlan>();

/** Makes a plan from another and an overlay, unless it was made from the same before. `how`: what else it is made of, as JSON. */
export function sharedPlan(base: Plan, overlay: JsonObject, how: unknown, make: () => MountPlan): SharedPlan {
  const made = () => ({
    plan: Plan.of(make()),
    overlay: frozenWithoutSecrets(overlay),
    agent: readOverlay(overlay),
  });
  if (base.hash === null || !isJson(overlay)) return made();
  return PLANS.get(JSON.stringify([base.hash, overlay, how]), made);
}

/**
 * What a child mounts: inherited by the rules of spawn policy and exclusions, and always what the agent declares. Children that
 * are made of the same share one plan; a parent's plan that has changed since makes another.
 */
export function childPlan(
  parent: MountPlan,
  overlay: JsonObject,
  selection: Selection,
  { settings }: Pick<DelegateConfig, 'settings'>,
): SharedPlan {
  const { exclude_tools, exclude_hooks, inherit_tools } = selection;
  const base = Plan.of(parent);
  return sharedPlan(base, overlay, [exclude_tools, exclude_hooks, inherit_tools, settings], () =>
    mergePlans(base.json, overlay, selection, settings),
  );
}

function mergePlans(
  parent: MountPlan,
  overlay: JsonObject,
  selection: Selection,
  settings: DelegateConfig['settings'],
): MountPlan {
  const declared = requiredServers(declaredIn(overlay));
  const merged = mergeConfigs(withoutRedefined(withLiveRoster(parent), serversIn(declared.tools)), declared);
  const tools = inheritTools(merged, overlay, {
    ...inheritOnly(selection.inherit_tools ?? settings.inherit_tools),
    exclude_tools: [...settings.exclude_tools, ...(selection.exclude_tools ?? [])],
  });
  return inheritHooks(onlyOwn(tools, overlay), overlay, {
    exclude_hooks: [...settings.exclude_hooks, ...(selection.exclude_hooks ?? [])],
  });
}

/** What is the agent's alone, and not for the plan that its own children start from. */
const OWN = [
  'instruction',
  'name',
  'description',
  'inherit_tools',
  'exclude_tools',
  'limits',
  'network',
  'skills',
  'needs_servers',
  'only_tools',
];

export function declaredIn(overlay: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(overlay).filter(([key]) => !OWN.includes(key)));
}

/** MCP servers that an agent declares are needed by it: without one it is not launched, rather than launched with less. */
function requiredServers(declared: JsonObject): JsonObject {
  if (!Array.isArray(declared.tools)) return declared;
  const tools = declared.tools.map((entry) => {
    const spec = moduleSpec(entry);
    const servers = spec?.module === 'tool-mcp' ? spec.config?.servers : undefined;
    if (!spec || !isPlainObject(servers)) return entry;
    const needed = Object.entries(servers).map(([name, server]) => [
      name,
      isPlainObject(server) ? { required: true, ...server } : server,
    ]);
    return { ...spec, config: { ...spec.config, servers: Object.fromEntries(needed) } };
  });
  return { ...declared, tools };
}

/** A server that an agent defines whole takes nothing from its parent's of that name, variables and headers least of all. */
function withoutRedefined(plan: MountPlan, own: JsonObject): MountPlan {
  const isWhole = (server: unknown) => isPlainObject(server) && ('command' in server || 'url' in server);
  return keepServers(plan, (name) => !isWhole(own[name]));
}

/** Where an agent gets no server of its parent's, those it declares itself are all it has. */
function withOwnServers(plan: MountPlan, { tools }: JsonObject, only: readonly string[]): MountPlan {
  const own = serversIn(tools);
  return only.includes('tool-mcp') ? plan : keepServers(plan, (name) => Object.hasOwn(own, name));
}

function serversIn(tools: unknown): JsonObject {
  const specs = (Array.isArray(tools) ? tools : []).map(moduleSpec);
  const servers = specs.find((spec) => spec?.module === 'tool-mcp')?.config?.servers;
  return isPlainObject(servers) ? servers : {};
}

function keepServers(plan: MountPlan, isKept: (name: string) => boolean): MountPlan {
  if (!Array.isArray(plan.tools)) return plan;
  const tools = plan.tools.map((entry) => {
    const spec = moduleSpec(entry);
    if (spec?.module !== 'tool-mcp' || !isPlainObject(spec.config?.servers)) return entry;
    const servers = Object.entries(spec.config.servers).filter(([name]) => isKept(name));
    return { ...spec, config: { ...spec.config, servers: Object.fromEntries(servers) } };
  });
  return { ...plan, tools };
}

/** What the agent itself says of the tools it gets of its parent's narrows what the caller lets it have. */
export function onlyOwn(plan: MountPlan, overlay: JsonObject): MountPlan {
  const only = namesOf(overlay.inherit_tools);
  const without = namesOf(overlay.exclude_tools);
  const kept = only
    ? withOwnServers(inheritTools(plan, overlay, { inherit_tools: only }), overlay, only)
    : plan;
  const rest = without ? inheritTools(kept, overlay, { exclude_tools: without }) : kept;
  return isPlainObject(overlay.only_tools) ? onlyTools(rest, overlay.only_tools) : rest;
}

/** Of a module's tools only those an agent names, by the module's id; what was kept back before stays back. */
function onlyTools(plan: MountPlan, chosen: JsonObject): MountPlan {
  if (!Array.isArray(plan.tools)) return plan;
  const tools = plan.tools.map((entry) => {
    const spec = moduleSpec(entry);
    const names = spec && Object.hasOwn(chosen, spec.module) ? namesOf(chosen[spec.module]) : null;
    if (!spec || !names) return entry;
    const before = namesOf(spec.config?.only);
    const only = before ? names.filter((name) => before.includes(name)) : names;
    return { ...spec, config: { ...spec.config, only } };
  });
  return { ...plan, tools };
}

function namesOf(value: unknown): string[] | null {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : null;
}

/** An allowlist goes before all exclusions; without one they decide. */
function inheritOnly(inherit_tools: readonly string[] | undefined) {
  return inherit_tools ? { inherit_tools } : {};
}

function withLiveRoster(plan: MountPlan): MountPlan {
  return plan.agents === undefined ? plan : { ...plan, agents: joinRosters(plan.agents, {}) };
}
