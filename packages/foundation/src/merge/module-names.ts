import { moduleSpec } from '@amplifier/core';

const PREFIX = { tools: /^tools?-/, hooks: /^hooks?-/ } as const;

export type InheritedList = keyof typeof PREFIX;

/** Does the entry go by one of these names? Its module id, its id, or the module id without its kind (`delegate` for `tool-delegate`). */
export function isNamed(entry: unknown, names: readonly string[], list: InheritedList): boolean {
  const spec = moduleSpec(entry);
  if (!spec) return false;
  const short = spec.module.replace(PREFIX[list], '');
  return names.some((name) => name === spec.module || name === spec.id || name === short);
}

export function namesIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}
