import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { splitFrontmatter } from '@amplifier/foundation';
import { isText, type LockedModule, type LockedText } from '../profiles/lock.js';
import type { LoadedProfile } from '../profiles/profile-store.js';
import { moduleId } from './module-id.js';
import type { MountPoint } from './plan-schema.js';

const made = new WeakMap<LoadedProfile, readonly MountPoint[]>();

/** The mounts of a compiled profile. Made once and shared by all plans, so nobody may change them. */
export function profileMounts(profile: LoadedProfile): readonly MountPoint[] {
  const known = made.get(profile);
  if (known) return known;
  const mounts = profile.lock.resources.map((resource) =>
    Object.freeze(isText(resource) ? embedded(resource, profile) : referenced(resource, profile)),
  );
  made.set(profile, Object.freeze(mounts));
  return mounts;
}

function embedded(resource: LockedText, { lock, texts }: LoadedProfile): MountPoint {
  const { kind, name, ref, commit, digest, path } = resource;
  const text = texts.get(path) ?? '';
  return {
    mount_type: 'embedded',
    module_id: idOf(lock.profile_id, resource),
    module_type: kind,
    module: name,
    // An agent's frontmatter is data about it, and stands in the metadata; a context is given as it is.
    content: kind === 'agent' ? splitFrontmatter(text, path).body.trim() : text,
    enabled: true,
    config: {},
    metadata: { ...resource.metadata, ...(ref ? { ref } : {}), ...(commit ? { commit } : {}), digest },
  };
}

function referenced(resource: LockedModule, { lock, folder }: LoadedProfile): MountPoint {
  const { kind, module, id, ref, commit, digest, config, path } = resource;
  return {
    mount_type: 'referenced',
    module_id: idOf(lock.profile_id, resource),
    module_type: kind,
    module,
    source_path: pathToFileURL(join(folder, path)).href,
    enabled: true,
    config,
    metadata: {
      ...(id ? { id } : {}),
      ...(ref ? { ref } : { built_in: true }),
      ...(commit ? { commit } : {}),
      digest,
    },
  };
}

/** The name of a repeated resource ends with its occurrence, which stands in the id as it is. */
function idOf(profile_id: string, { kind, name, occurrence = 1 }: LockedText | LockedModule): string {
  const given = occurrence === 1 ? name : name.slice(0, -`.${occurrence}`.length);
  return moduleId(profile_id, kind, given, occurrence);
}
