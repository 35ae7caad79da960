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

/** Fills the places where a stored plan says that a secret was taken out, from a live plan that still has it. */
export function restoreSecrets(stored: MountPlan, live: MountPlan): MountPlan {
  const plan = cloneJson(stored);
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

function withIdentity(spec: ModuleSpec | null): [string, ModuleSpec][] {
  return spec ? [[moduleIdentity(spec), spec]] : [];
}

function fill(stored: JsonObject, live: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(stored).map(([key, value]) => {
      if (value === REDACTED) return [key, live[key] ?? value];
      return [key, isPlainObject(value) && isPlainObject(live[key]) ? fill(value, live[key]) : value];
    }),
  );
}
