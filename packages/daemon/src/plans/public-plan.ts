import {
  isPlainObject,
  type JsonObject,
  type ModuleSpec,
  type MountPlan,
  moduleSpec,
  redactSecrets,
  sessionModuleSpec,
} from '@amplifier/core';
import type { LaunchRecord } from '@amplifier/delegation';
import { moduleId, shortName } from './module-id.js';
import {
  type MountKind,
  type MountPoint,
  PLAN_VERSION,
  type PlanBase,
  type PublicPlan,
} from './plan-schema.js';

/**
 * A plan of the kernel in the public form. What `known` has of it keeps the id and source it has there. Literal secrets are left
 * out: whoever mounts it has them.
 */
export function publicPlan<Session extends PlanBase['session']>(
  plan: MountPlan,
  session: Session,
  known: readonly MountPoint[] = [],
): PlanBase & { session: Session } {
  const { profile_id } = session;
  const {
    orchestrator: _,
    context: __,
    settings: ___,
    system: ____,
    metadata: _____,
    ...rest
  } = plan.session;
  const referenced = [
    ...moduleMounts('orchestrator', [sessionModuleSpec(plan, 'orchestrator')], known, profile_id),
    ...moduleMounts('context-manager', [sessionModuleSpec(plan, 'context')], known, profile_id),
    ...moduleMounts('provider', plan.providers, known, profile_id),
    ...moduleMounts('tool', plan.tools, known, profile_id),
    ...moduleMounts('hook', plan.hooks, known, profile_id),
  ];
  const agents = Object.entries(isPlainObject(plan.agents) ? plan.agents : {}).flatMap(([name, overlay]) =>
    isPlainObject(overlay) ? [agentMount(name, overlay, known, profile_id)] : [],
  );
  const spawn = isPlainObject(plan.spawn) && Object.keys(plan.spawn).length > 0 ? { spawn: plan.spawn } : {};
  return {
    session: { ...session, ...spawn, session: rest },
    mount_points: numbered([...referenced, ...agents], profile_id),
  };
}

/** The plan of a session by what its launch record mounts: one that another delegated to, or that was started elsewhere. */
export function launchedPlan(launch: LaunchRecord, above: PublicPlan | null): PublicPlan {
  const { session_id, parent_id, created_at, agent } = launch;
  const base = above?.session ?? {
    profile_id: bundleProfile(launch),
    settings: {},
    lock_hash: null,
    task: {},
  };
  const session = {
    ...base,
    session_id,
    parent_session_id: parent_id,
    created_at,
    instruction: agent.instruction ?? '',
    session: {},
  };
  return { format_version: PLAN_VERSION, ...publicPlan(launch.plan, session, above?.mount_points) };
}

/** The providers of a plan as mounts. */
export function providerMounts({ providers }: MountPlan, profile_id: string): MountPoint[] {
  return numbered(moduleMounts('provider', providers, [], profile_id), profile_id);
}

/** What stands for a profile where a session is made of a bundle. */
export const BUNDLES = 'bundle/';

function bundleProfile({ plan }: LaunchRecord): string {
  const { metadata } = plan.session;
  const named = isPlainObject(metadata) ? metadata.profile_id : undefined;
  return typeof named === 'string' ? named : `${BUNDLES}own`;
}

type ModuleKind = Exclude<MountKind, 'agent' | 'context'>;

function moduleMounts(
  kind: ModuleKind,
  entries: readonly unknown[] = [],
  known: readonly MountPoint[],
  profile_id: string,
): MountPoint[] {
  return entries.flatMap((entry) => {
    const spec = moduleSpec(entry);
    return spec ? [moduleMount(kind, spec, known, profile_id)] : [];
  });
}

function moduleMount(
  module_type: ModuleKind,
  { module, id, instance_id, source, config = {} }: ModuleSpec,
  known: readonly MountPoint[],
  profile_id: string,
): MountPoint {
  const before = known.find(
    (mount) =>
      mount.module_type === module_type && mount.module === module && (mount.metadata.id ?? undefined) === id,
  );
  if (before) return { ...before, enabled: true, config };
  return {
    mount_type: 'referenced',
    module_id: moduleId(profile_id, module_type, id ?? instance_id ?? shortName(module)),
    module_type,
    module,
    source_path: source ?? `builtin:${module}`,
    enabled: true,
    config: redactSecrets(config),
    metadata: {
      ...(id ? { id } : {}),
      ...(instance_id ? { instance_id } : {}),
      ...(source ? { ref: source } : { built_in: true }),
    },
  };
}

function agentMount(
  name: string,
  overlay: JsonObject,
  known: readonly MountPoint[],
  profile_id: string,
): MountPoint {
  const before = known.find(({ module_type, module }) => module_type === 'agent' && module === name);
  if (before) return { ...before, enabled: true };
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
    metadata: redactSecrets(metadata),
  };
}

/** Several of one kind and name, such as two tools of one module, are told apart by their number. */
function numbered(mounts: readonly MountPoint[], profile_id: string): MountPoint[] {
  const seen = new Map<string, number>();
  return mounts.map((mount) => {
    const count = (seen.get(mount.module_id) ?? 0) + 1;
    seen.set(mount.module_id, count);
    if (count === 1) return mount;
    const { module_type, module = '' } = mount;
    return { ...mount, module_id: moduleId(profile_id, module_type, shortName(module), count) };
  });
}
