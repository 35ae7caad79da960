import type { JsonObject, ModuleSpec } from '@amplifier/core';
import type { MountKind, MountPoint, PublicPlan } from './plan-schema.js';

/** The plan in the kernel's own form. What is switched off is left out. */
export function toCorePlan({ session, mount_points }: PublicPlan): JsonObject {
  const mounts = mount_points.filter(({ enabled }) => enabled);
  const ofKind = (kind: MountKind) => mounts.filter(({ module_type }) => module_type === kind);
  const [orchestrator] = ofKind('orchestrator').map(spec);
  const [context] = ofKind('context-manager').map(spec);
  return {
    session: {
      ...withoutNulls(session.session),
      ...(orchestrator ? { orchestrator } : {}),
      ...(context ? { context } : {}),
      settings: session.settings,
      system: {
        instruction: session.instruction,
        context: ofKind('context').map((mount) => ({
          name: mount.module,
          content: mount.mount_type === 'embedded' ? mount.content : '',
        })),
      },
      metadata: {
        session_id: session.session_id,
        profile_id: session.profile_id,
        ...(session.lock_hash ? { lock_hash: session.lock_hash } : {}),
      },
    },
    providers: ofKind('provider').map(spec),
    tools: ofKind('tool').map(spec),
    hooks: ofKind('hook').map(spec),
    agents: Object.fromEntries(ofKind('agent').map(agent)),
    ...(session.agent_access || session.spawn
      ? {
          spawn: {
            ...session.spawn,
            ...(session.agent_access ? { agent_access: session.agent_access } : {}),
          },
        }
      : {}),
  };
}

function spec(mount: MountPoint): ModuleSpec {
  const { module = '', config, metadata } = mount;
  const isChecked = mount.mount_type === 'referenced' && metadata.ref !== undefined;
  return {
    module,
    ...(isChecked ? { source: mount.source_path } : {}),
    ...(typeof metadata.id === 'string' ? { id: metadata.id } : {}),
    ...(typeof metadata.instance_id === 'string' ? { instance_id: metadata.instance_id } : {}),
    config,
  };
}

function agent(mount: MountPoint): [string, JsonObject] {
  const { ref: _, commit: __, digest: ___, origin: ____, ...declared } = mount.metadata;
  const content = mount.mount_type === 'embedded' ? mount.content : '';
  const config = Object.keys(mount.config).length > 0 ? { config: mount.config } : {};
  return [mount.module ?? '', { description: '', ...declared, ...config, system: { instruction: content } }];
}

/** null means unlimited in a manifest; the kernel knows that as a missing member. */
function withoutNulls(settings: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null));
}
