import { isPlainObject, type JsonObject, redactSecrets } from '@amplifier/core';
import { DaemonError } from '../daemon-error.js';
import { MAX_OVERLAY_ENTRIES } from '../defaults.js';
import { mergeConfig } from '../profiles/manifest.js';
import { moduleId } from './module-id.js';
import { MountIndex } from './mount-index.js';
import type { MountKind, MountPoint } from './plan-schema.js';

/** The sections an overlay may have, and the mounts each is about. */
const SECTIONS: Record<string, MountKind> = {
  agents: 'agent',
  context: 'context',
  providers: 'provider',
  tools: 'tool',
  hooks: 'hook',
};

export interface OverlaidPlan {
  mounts: readonly MountPoint[];
  /** Plain session settings that the overlay adds. */
  session: JsonObject;
  /** It named who may be delegated to, so nobody else may: no external agent either. */
  agent_access?: 'roster';
}

/**
 * Lays an overlay over mounts: switches them on and off, patches their config, adds new ones. Makes new mounts and
 * leaves those it was given alone. Throws `INVALID_OVERLAY`.
 */
export function applyOverlay(
  mounts: readonly MountPoint[],
  overlay: JsonObject,
  profile_id: string,
): OverlaidPlan {
  checkOverlaySize(overlay);
  let result = mounts;
  let session: JsonObject = {};
  let agent_access: 'roster' | undefined;
  for (const [section, value] of Object.entries(overlay)) {
    if (section === 'session') {
      const applied = overlaySession(result, value);
      result = applied.mounts;
      session = applied.session;
      continue;
    }
    const kind = Object.hasOwn(SECTIONS, section) ? SECTIONS[section] : undefined;
    if (!kind) {
      throw refused(
        `there is no section ${section}; the sections are session, ${Object.keys(SECTIONS).join(', ')}`,
      );
    }
    if (kind === 'agent' && isFilter(value)) {
      result = filterAgents(result, value);
      if (value !== 'all') agent_access = 'roster';
    } else result = overlayKind(result, kind, value, section, profile_id);
  }
  return { mounts: result, session, ...(agent_access ? { agent_access } : {}) };
}

function overlayKind(
  mounts: readonly MountPoint[],
  kind: MountKind,
  value: unknown,
  section: string,
  profile_id: string,
): readonly MountPoint[] {
  const result = [...mounts];
  const index = new MountIndex((mount) => [nameOf(mount), mount.module ?? nameOf(mount)]);
  for (const [at, mount] of mounts.entries()) if (mount.module_type === kind) index.add(mount, at);
  for (const [key, patch] of entriesOf(value, section)) {
    if (!isPlainObject(patch))
      throw refused(`${section}.${key} must be an object such as { enabled, config }`);
    const [at, ...others] = index.find(key);
    if (others.length > 0)
      throw refused(`${section}.${key} matches ${others.length + 1} mounts; use a module_id`);
    if (at !== undefined) {
      result[at] = patched(result[at] as MountPoint, patch, `${section}.${key}`);
      continue;
    }
    const mount = added(kind, key, patch, section, profile_id);
    index.add(mount, result.length);
    result.push(mount);
  }
  return result;
}

/** Throws `INVALID_OVERLAY` for a section with more entries than a plan can have. */
export function checkOverlaySize(overlay: JsonObject): void {
  for (const [section, value] of Object.entries(overlay)) {
    if (typeof value !== 'object' || value === null) continue;
    const entries = Object.keys(value).length;
    if (entries > MAX_OVERLAY_ENTRIES)
      throw refused(`${section} has ${entries} entries; at most ${MAX_OVERLAY_ENTRIES} are allowed`);
  }
}

/** Modules may also be listed, as in a mount plan: `[{ module, config }]`. */
function entriesOf(value: unknown, section: string): [string, unknown][] {
  if (isPlainObject(value)) return Object.entries(value);
  if (!Array.isArray(value)) throw refused(`${section} must be a mapping of names`);
  return value.map((entry, at) => {
    const spec = typeof entry === 'string' ? { module: entry } : entry;
    const key = isPlainObject(spec) ? (spec.id ?? spec.module) : undefined;
    if (typeof key !== 'string') throw refused(`${section}[${at}] needs a module`);
    return [key, spec];
  });
}

function patched(mount: MountPoint, patch: JsonObject, where: string): MountPoint {
  const { enabled, config, content, metadata } = patch;
  if (enabled !== undefined && typeof enabled !== 'boolean')
    throw refused(`${where}.enabled must be true or false`);
  if (config !== undefined && config !== null && !isPlainObject(config))
    throw refused(`${where}.config must be an object`);
  if (metadata !== undefined && !isPlainObject(metadata))
    throw refused(`${where}.metadata must be an object`);
  if (content !== undefined && (typeof content !== 'string' || mount.mount_type !== 'embedded')) {
    throw refused(`${where}.content must be text, and only agents and contexts have it`);
  }
  return {
    ...mount,
    enabled: enabled ?? mount.enabled,
    config: redactSecrets(config ? mergeConfig(mount.config, config) : mount.config),
    metadata: metadata ? { ...mount.metadata, ...metadata } : mount.metadata,
    ...(content === undefined ? {} : { content }),
  } as MountPoint;
}

function added(
  kind: MountKind,
  key: string,
  patch: JsonObject,
  section: string,
  profile_id: string,
): MountPoint {
  const where = `${section}.${key}`;
  if (key === '' || key.length > 200) throw refused(`${where} is no name`);
  const base = {
    module_id: moduleId(profile_id, kind, key),
    enabled: true,
    config: {},
    metadata: { origin: 'overlay' },
  };
  if (kind === 'agent' || kind === 'context') {
    if (typeof patch.content !== 'string')
      throw refused(`${where} is not in the plan; to add it, give its content or source`);
    return patched(
      { ...base, mount_type: 'embedded', module_type: kind, module: key, content: '' },
      patch,
      where,
    );
  }
  if (typeof patch.module !== 'string')
    throw refused(`${where} is not in the plan; to add it, give its module`);
  if (patch.source !== undefined)
    throw refused(`${where}: only modules that ship with the runtime can be added, without source`);
  const { module } = patch;
  return patched(
    {
      ...base,
      mount_type: 'referenced',
      module_type: kind as 'tool',
      module,
      source_path: `builtin:${module}`,
    },
    patch,
    where,
  );
}

/** `orchestrator` and `context` patch the config of these modules; the rest are plain settings. */
function overlaySession(mounts: readonly MountPoint[], value: unknown): OverlaidPlan {
  if (!isPlainObject(value)) throw refused('session must be an object');
  const { orchestrator, context, ...session } = value;
  let result = mounts;
  for (const [kind, patch] of [
    ['orchestrator', orchestrator],
    ['context-manager', context],
  ] as const) {
    if (patch === undefined) continue;
    const at = result.findIndex(({ module_type }) => module_type === kind);
    if (at === -1 || !isPlainObject(patch))
      throw refused(`session.${kind} must patch one that the profile has`);
    result = result.with(at, patched(result[at] as MountPoint, patch, `session.${kind}`));
  }
  return { mounts: result, session: redactSecrets(session) };
}

function isFilter(value: unknown): value is 'all' | 'none' | string[] {
  return (
    value === 'all' ||
    value === 'none' ||
    (Array.isArray(value) && value.every((name) => typeof name === 'string'))
  );
}

/** Which agents may be delegated to; the others stay in the plan, switched off. */
function filterAgents(
  mounts: readonly MountPoint[],
  filter: 'all' | 'none' | string[],
): readonly MountPoint[] {
  if (filter === 'all') return mounts;
  const kept = new Set(filter === 'none' ? [] : filter);
  return mounts.map((mount) =>
    mount.module_type === 'agent' && !kept.has(nameOf(mount)) ? { ...mount, enabled: false } : mount,
  );
}

function nameOf({ module_id, module_type, module = '' }: MountPoint): string {
  if (module_type === 'agent' || module_type === 'context') return module;
  return decodeURIComponent(module_id.slice(module_id.indexOf(`.${module_type}.`) + module_type.length + 2));
}

function refused(why: string): DaemonError {
  return new DaemonError('INVALID_OVERLAY', `The overlay cannot be applied: ${why}.`);
}
