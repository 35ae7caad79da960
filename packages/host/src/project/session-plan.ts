import type { Diagnostic, JsonObject, ModuleSpec, MountPlan, Report } from '@amplifier/core';
import { isPlainObject, moduleSpec } from '@amplifier/core';
import {
  applySettings,
  bundleToMountPlan,
  isProjectOrigin,
  moduleConfigs,
  ROUTING_HOOK,
} from '@amplifier/foundation';
import { DEFAULT_SESSION } from '../defaults.js';
import { withOtherTools } from '../other-tools/with-other-tools.js';
import { isProjectsGuard, withUsersGuards } from '../trust/only-tighter.js';
import type { Project } from './project.js';
import { skillFolders, withSkills } from './skills.js';

type PlanSources = Pick<
  Project,
  'bundle' | 'own' | 'settings' | 'agents' | 'paths' | 'environment' | 'trust'
>;

/**
 * The plan of a session: the bundle, the roster as the search order of this folder has it, the settings over both. A file
 * of the user's or the project's stands in the roster in the place of the bundle's agent of the same name.
 */
export async function sessionPlan(project: PlanSources, report: Report): Promise<MountPlan> {
  const { bundle, settings, paths } = project;
  const composed = bundleToMountPlan(bundle);
  const agents = await roster(project, report);
  const plan = applySettings(
    {
      ...composed,
      session: { ...DEFAULT_SESSION, ...composed.session },
      ...(Object.keys(agents).length > 0 || isClosed(bundle) ? { agents } : {}),
    },
    settings.settings,
  );
  for (const id of Object.keys(moduleConfigs(settings.settings)))
    if (!mounts(plan, id)) report(unmounted(id));
  const equipped = await withSkills(
    await withOtherTools(plan, project, report),
    paths.cwd,
    skillFolders(project),
  );
  const own = project.own.hooks.filter((hook) => !isProjectsGuard(hook));
  const users = applySettings({ session: plan.session, hooks: own }, settings.scopes.user ?? {});
  const hooks = withUsersGuards(equipped.hooks ?? [], users.hooks ?? []);
  return { ...equipped, hooks: hooks.map((hook) => withRoutingFolders(hook, paths.routing)) };
}

async function roster({ bundle, agents }: PlanSources, report: Report): Promise<Record<string, JsonObject>> {
  const { agents: listed, problems } = await agents.listAgents();
  for (const problem of problems) report(problem);
  for (const agent of listed) {
    const hidden = isProjectOrigin(agent.origin) ? hiddenBy(agent, bundle) : null;
    if (hidden) report(hidden);
  }
  const found = new Map(listed.map((agent) => [agent.name, agent]));
  const names = new Set(Object.keys(bundle.agents));
  const named = Object.fromEntries(
    [...names].map((name) => {
      const file = found.get(name) ?? found.get(name.split(':').at(-1) ?? name);
      return [name, file && isOwn(file.origin) ? file.toMountPlanFragment() : (bundle.agents[name] ?? {})];
    }),
  );
  const short = new Set([...names].map((name) => name.split(':').at(-1)));
  const own = isClosed(bundle) ? [] : listed.filter(({ name, origin }) => isOwn(origin) && !short.has(name));
  return { ...named, ...Object.fromEntries(own.map((agent) => [agent.name, agent.toMountPlanFragment()])) };
}

/** A project's agent in the place of one that the user knows by that name. */
function hiddenBy({ name, path, hides }: ListedAgent, bundle: PlanSources['bundle']): Diagnostic | null {
  const inBundle = Object.keys(bundle.agents).find((key) => (key.split(':').at(-1) ?? key) === name);
  const what = hides[0]?.origin ?? (inBundle === undefined ? null : bundle.name);
  if (what === null) return null;
  const message = `The agent '${name}' is this project's (${path}), and replaces the one of ${what}. 'amplifier agent show ${name}' shows it.`;
  return { level: 'warning', code: 'AGENT_HIDDEN', message };
}

type ListedAgent = Awaited<ReturnType<PlanSources['agents']['listAgents']>>['agents'][number];

/** Does any session of this plan mount the module, the one of an agent included? */
function mounts(value: unknown, id: string): boolean {
  if (Array.isArray(value)) return value.some((item) => item === id || mounts(item, id));
  if (!isPlainObject(value)) return false;
  return value.module === id || Object.values(value).some((member) => mounts(member, id));
}

function unmounted(id: string): Diagnostic {
  const message = `The settings configure '${id}' under 'modules', and nothing mounts it. Add it under 'modules.tools' or 'modules.hooks', or correct its name.`;
  return { level: 'warning', code: 'MODULE_NOT_MOUNTED', message, module_id: id };
}

/** Does the bundle keep its sessions to the agents it lists? */
function isClosed({ spawn }: PlanSources['bundle']): boolean {
  return spawn.agent_access === 'roster';
}

/** Only what a bundle lists is in its roster; what the user or the project put in a folder always is, unless the bundle is closed. */
function isOwn(origin: string): boolean {
  return (
    origin === 'user' || origin.endsWith(' user') || isProjectOrigin(origin) || origin.startsWith('env ')
  );
}

function withRoutingFolders(entry: string | ModuleSpec, folders: string[]): string | ModuleSpec {
  const spec = moduleSpec(entry);
  if (spec?.module !== ROUTING_HOOK) return entry;
  const given = spec.config?.custom_routing_dirs;
  const custom = Array.isArray(given) ? given : [];
  return { ...spec, config: { ...spec.config, custom_routing_dirs: [...custom, ...folders] } };
}
