import { errorInfo, type MountPlan, moduleSpec, sessionModuleSpec } from '@amplifier/core';
import type { Project } from '../project/project.js';
import { BUILT_IN_MODULES, moduleSources } from './module-loader.js';
import { OTHER_IDS, PYTHON_MODULES } from './python-modules.js';

const MODULE_LISTS = ['providers', 'tools', 'hooks'] as const;

type Kind = 'orchestrator' | 'context' | (typeof MODULE_LISTS)[number];

/** A module that a bundle names, and what becomes of it here. */
export interface ReportedModule {
  module: string;
  kind: Kind;
  /** `built-in`: ours serves the id. `source`: it is loaded from where the bundle says. `left out`: there is nothing to load. */
  served_by: 'built-in' | 'source' | 'left out';
  source: string | null;
  /** The session itself, or the agents that declare it. */
  used_by: string[];
  /** Where it is left out, or served by one that differs: what that means. */
  cost?: string;
}

/** Every module of a plan, its agents' included. Sources are fetched to see what they hold; nothing is run. */
export async function reportModules(project: Project): Promise<ReportedModule[]> {
  const sources = moduleSources(project);
  const named = namedModules(await project.plan());
  return Promise.all(
    named.map(async ({ module, kind, source, used_by }): Promise<ReportedModule> => {
      const entry = { module, kind, source, used_by };
      if (BUILT_IN_MODULES.includes(module)) {
        const differs = Object.hasOwn(OTHER_IDS, module) ? OTHER_IDS[module]?.differs : undefined;
        return { ...entry, served_by: 'built-in', ...(differs ? { cost: differs } : {}) };
      }
      try {
        await sources.resolve(module, source ?? undefined);
        return { ...entry, served_by: 'source' };
      } catch (error) {
        const known = Object.hasOwn(PYTHON_MODULES, module) ? PYTHON_MODULES[module] : undefined;
        const { message, code } = errorInfo(error);
        const isAbsent = kind === 'hooks' && code === 'SOURCE_NOT_FOUND';
        const cost = isAbsent ? 'nothing replaces it' : COSTS[kind];
        return { ...entry, served_by: 'left out', cost: known ?? `${cost} (${message})` };
      }
    }),
  );
}

const COSTS: Record<Kind, string> = {
  orchestrator: 'no session of this bundle can run',
  context: 'no session of this bundle can run',
  providers: 'its models cannot be used',
  tools: 'the model does not get its tools',
  hooks: 'a hook that cannot be fetched may be a guard, so no session runs until it is available or removed',
};

type Named = Pick<ReportedModule, 'module' | 'kind' | 'source' | 'used_by'>;

/** Every module that the plan names, once. */
export function namedModules(plan: MountPlan): Named[] {
  const found = new Map<string, Named>();
  const add = (entry: unknown, kind: Kind, user: string) => {
    const spec = moduleSpec(entry);
    if (!spec) return;
    const known = found.get(spec.module);
    if (!known)
      found.set(spec.module, { module: spec.module, kind, source: spec.source ?? null, used_by: [user] });
    else if (!known.used_by.includes(user)) known.used_by.push(user);
  };
  for (const part of ['orchestrator', 'context'] as const)
    add(sessionModuleSpec(plan, part), part, 'session');
  const lists = (value: Record<string, unknown>, user: string) => {
    for (const kind of MODULE_LISTS)
      for (const entry of Array.isArray(value[kind]) ? value[kind] : []) add(entry, kind, user);
  };
  lists(plan, 'session');
  for (const [name, agent] of Object.entries(plan.agents ?? {})) lists(agent ?? {}, name);
  return [...found.values()];
}
