import { canonicalId } from './module-id.js';
import type { MountPoint } from './plan-schema.js';

/** Positions of mounts by module_id and by name. A lookup does not depend on the number of mounts: a request may have thousands of keys. */
export class MountIndex {
  readonly #byId = new Map<string, number[]>();
  readonly #byName = new Map<string, number[]>();
  readonly #namesOf: (mount: MountPoint) => readonly string[];

  constructor(namesOf: (mount: MountPoint) => readonly string[]) {
    this.#namesOf = namesOf;
  }

  add(mount: MountPoint, at: number): void {
    put(this.#byId, mount.module_id, at);
    for (const name of new Set(this.#namesOf(mount))) put(this.#byName, name, at);
  }

  find(key: string): number[] {
    return [...new Set([...(this.#byId.get(canonicalId(key)) ?? []), ...(this.#byName.get(key) ?? [])])].sort(
      (a, b) => a - b,
    );
  }
}

/** By module, or by the end of the module_id (`collection/profile.tool.bash` is `bash`), as `settings.modules` names mounts. */
export function settingsIndex(mounts: readonly MountPoint[]): MountIndex {
  const index = new MountIndex(({ module_id, module_type, module }) => {
    const kind = `.${module_type}.`;
    const at = module_id.lastIndexOf(kind);
    return [
      ...(module === undefined ? [] : [module]),
      ...(at === -1 ? [] : [module_id.slice(at + kind.length)]),
    ];
  });
  for (const [at, mount] of mounts.entries()) index.add(mount, at);
  return index;
}

function put(map: Map<string, number[]>, key: string, at: number): void {
  const known = map.get(key);
  if (known) known.push(at);
  else map.set(key, [at]);
}
