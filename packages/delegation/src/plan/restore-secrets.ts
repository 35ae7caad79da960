import {
  cloneJson,
  isPlainObject,
  type JsonObject,
  type ModuleSpec,
  type MountPlan,
  moduleIdentity,
  moduleSpec,
  REDACTED,
} from '@amplifier/core';
import type { Project } from '../project.js';
import type { Parent } from '../turn/parent.js';
import { rosterOf } from './agents.js';
import type { LaunchRecord } from './launch-record.js';

/** The stored plan of a launch with its secrets: those of the agent's own modules, then those it inherited. */
export function planWithSecrets(
  { livePlan }: Pick<Project, 'livePlan'>,
  { plan, agent }: LaunchRecord,
  parent: Parent | null,
): MountPlan {
  const source = parent?.plan ?? livePlan;
  if (!source) return plan;
  const own = rosterOf(source.agents).get(agent.name ?? '');
  const restored = own ? restoreSecrets(plan, { ...own, session: source.session } as MountPlan) : plan;
  return restoreSecrets(restored, source);
}

/** Fills the places where a stored plan says that a secret was taken out, from a live plan that still has it. */
export function restoreSecrets(stored: MountPlan, live: MountPlan): MountPlan {
  const plan = cloneJson(stored);
  if (isPlainObject(live.session)) plan.session = fill(plan.session, live.session) as MountPlan['session'];
  if (isPlainObject(plan.agents) && isPlainObject(live.agents))
    plan.agents = restoreRoster(plan.agents, live.agents);
  for (const list of ['providers', 'tools', 'hooks'] as const) {
    const entries = plan[list];
    if (!entries) continue;
    const known = new Map((live[list] ?? []).flatMap((entry) => withIdentity(moduleSpec(entry))));
    plan[list] = entries.map((entry) => {
      const spec = moduleSpec(entry);
      const source = spec && known.get(moduleIdentity(spec));
      return source?.config && spec?.config ? { ...spec, config: fill(spec.config, source.config) } : entry;
    });
  }
  return plan;
}

/** Agents of the roster bring modules of their own. */
function restoreRoster(stored: JsonObject, live: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(stored).map(([name, overlay]) => {
      const source = live[name];
      if (!isPlainObject(overlay) || !isPlainObject(source)) return [name, overlay];
      const { session: _, ...restored } = restoreSecrets(
        { session: {}, ...overlay } as MountPlan,
        source as MountPlan,
      );
      return [name, { ...restored, ...(overlay.session === undefined ? {} : { session: overlay.session }) }];
    }),
  );
}

function withIdentity(spec: ModuleSpec | null): [string, ModuleSpec][] {
  return spec ? [[moduleIdentity(spec), spec]] : [];
}

function fill(stored: JsonObject, live: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(stored).map(([key, value]) => [key, fillValue(value, live[key])]));
}

function fillValue(stored: unknown, live: unknown): unknown {
  if (stored === REDACTED) return live ?? stored;
  // Also text that held a credential is stored without it, such as a URL with a password.
  if (typeof stored === 'string' && stored.includes(REDACTED))
    return typeof live === 'string' ? live : stored;
  if (Array.isArray(stored) && Array.isArray(live))
    return stored.map((item, at) => fillValue(item, live[at]));
  return isPlainObject(stored) && isPlainObject(live) ? fill(stored, live) : stored;
}
