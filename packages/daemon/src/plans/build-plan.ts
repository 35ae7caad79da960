import { isPlainObject, type JsonObject, redactSecrets, shorten } from '@amplifier/core';
import { DaemonError } from '../daemon-error.js';
import { MAX_EMBEDDED_BYTES } from '../defaults.js';
import { mergeConfig } from '../profiles/manifest.js';
import type { LoadedProfile } from '../profiles/profile-store.js';
import { applyOverlay } from './apply-overlay.js';
import { settingsIndex } from './mount-index.js';
import { type MountPoint, PLAN_VERSION, type PlanBase, type PublicPlan } from './plan-schema.js';
import { profileMounts } from './profile-mounts.js';

export interface PlanRequest {
  session_id: string;
  parent_session_id: string | null;
  created_at: string;
  settings: JsonObject;
  overlay: JsonObject;
}

/** The plan of a compiled profile. */
export function profilePlan(profile: LoadedProfile): PlanBase {
  const { profile_id, lock_hash, instruction, session, task } = profile.lock;
  return {
    session: { profile_id, settings: {}, lock_hash, instruction, session, task },
    mount_points: profileMounts(profile) as MountPoint[],
  };
}

/** The plan of a session: that of its profile, bundle or parent, and what the request lays over it. A function of both only. */
export function derivePlan(base: PlanBase, request: PlanRequest): PublicPlan {
  const { session_id, parent_session_id, created_at, overlay } = request;
  const { profile_id } = base.session;
  const settings = redactSecrets(mergeConfig(base.session.settings, request.settings));
  const overlaid = applyOverlay(base.mount_points, overlay, profile_id);
  const own = { session_id, profile_id, parent_session_id, settings, created_at };
  return {
    format_version: PLAN_VERSION,
    session: {
      ...own,
      ...base.session,
      ...own,
      session: mergeConfig(base.session.session, overlaid.session),
      ...(overlaid.agent_access ? { agent_access: overlaid.agent_access } : {}),
    },
    mount_points: applyModuleSettings(overlaid.mounts, request.settings) as MountPoint[],
  };
}

/**
 * `settings.modules.<name, module or module_id>.config` patches a module's config; all other settings mean nothing to
 * the daemon and are handed on. A name that fits nothing is handed on too, and a warning of the validation.
 */
function applyModuleSettings(mounts: readonly MountPoint[], { modules }: JsonObject): readonly MountPoint[] {
  if (!isPlainObject(modules)) return mounts;
  const index = settingsIndex(mounts);
  const result = [...mounts];
  let bytes = 0;
  for (const [key, setting] of Object.entries(modules)) {
    if (!isPlainObject(setting) || !isPlainObject(setting.config)) continue;
    const { config } = setting;
    const found = index.find(key);
    bytes += found.length > 1 ? JSON.stringify(config).length * found.length : 0;
    if (bytes > MAX_EMBEDDED_BYTES)
      throw new DaemonError(
        'PAYLOAD_TOO_LARGE',
        `settings.modules.${shorten(key, 100)} fits ${found.length} modules, and its config is copied to each. At most ${MAX_EMBEDDED_BYTES} bytes are copied.`,
      );
    for (const at of found) {
      const mount = result[at] as MountPoint;
      result[at] = { ...mount, config: redactSecrets(mergeConfig(mount.config, config)) };
    }
  }
  return result;
}
