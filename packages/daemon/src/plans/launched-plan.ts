import { isPlainObject, type JsonObject, type ModuleSpec, moduleSpec } from '@amplifier/core';
import type { LaunchRecord } from '@amplifier/delegation';
import { moduleId, shortName } from './module-id.js';
import { type MountKind, type MountPoint, PLAN_VERSION, type StoredPlan } from './plan-schema.js';

/**
 * The plan of a session that another one delegated to: what its launch record mounts, in the public form. What it shares with the
 * session above keeps the ids and sources it has there.
 */
export function launchedPlan(launch: LaunchRecord, above: StoredPlan): StoredPlan {
  const { plan, agent } = launch;
  const { profile_id } = above.session;
  const { orchestrator, context, settings: _, system: __, metadata: ___, ...session } = plan.session;
  const modules: [MountKind, readonly unknown[]][] = [
    ['orchestrator', [orchestrator]],
    ['context-manager', [context]],
    ['provider', plan.providers ?? []],
    ['tool', plan.tools ?? []],
    ['hook', plan.hooks ?? []],
  ];
  const referenced = modules.flatMap(([kind, entries]) =>
    entries.flatMap((entry) => {
      const spec = moduleSpec(entry);
      return spec ? [moduleMount(kind as 'tool', spec, above, profile_id)] : [];
    }),
  );
  const agents = Object.entries(isPlainObject(plan.agents) ? plan.agents : {}).flatMap(([name, overlay]) =>
    isPlainObject(overlay) ? [agentMount(name, overlay, above, profile_id)] : [],
  );
  return {
    format_version: PLAN_VERSION,
    session: {
      ...above.session,
      session_id: launch.session_id,
      parent_session_id: launch.parent_id,
      created_at: launch.created_at,
      instruction: agent.instruction ?? '',
      session,
    },
    mount_points: [...referenced, ...agents],
  };
}

function moduleMount(
  module_type: 'orchestrator' | 'context-manager' | 'provider' | 'tool' | 'hook',
  { module, id, source, config = {} }: ModuleSpec,
  above: StoredPlan,
  profile_id: string,
): MountPoint {
  const known = above.mount_points.find(
    (mount) =>
      mount.module_type === module_type && mount.module === module && (mount.metadata.id ?? undefined) === id,
  );
  if (known) return { ...known, enabled: true, config };
  return {
    mount_type: 'referenced',
    module_id: moduleId(profile_id, module_type, id ?? shortName(module)),
    module_type,
    module,
    source_path: source ?? `builtin:${module}`,
    enabled: true,
    config,
    metadata: { ...(id ? { id } : {}), ...(source ? { ref: source } : { built_in: true }) },
  };
}

function agentMount(name: string, overlay: JsonObject, above: StoredPlan, profile_id: string): MountPoint {
  const known = above.mount_points.find(
    ({ module_type, module }) => module_type === 'agent' && module === name,
  );
  if (known) return { ...known, enabled: true };
  const { instruction, system, ...metadata } = overlay;
  const content = instruction ?? (isPlainObject(system) ? system.instruction : undefined);
  return {
    mount_type: 'embedded',
    module_id: moduleId(profile_id, 'agent', name),
    module_type: 'agent',
    module: name,
    content: typeof content === 'string' ? content : '',
    enabled: true,
    config: {},
    metadata,
  };
}
