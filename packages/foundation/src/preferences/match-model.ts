import { glob } from '@amplifier/core';

/** Does the name stand for several models? */
export function isModelPattern(model: string): boolean {
  return /[*?[]/.test(model);
}

/**
 * The model a name stands for, out of those a provider has. An exact name is taken as it is, listed or not. Of several
 * that match a pattern the newest is taken. Null: nothing matches.
 */
export function resolveModel(model: string, available: readonly string[]): string | null {
  if (!isModelPattern(model)) return model;
  const matches = compile(model);
  return newestModel(available.filter((name) => matches(name)));
}

/** Highest version first, numbers counted as numbers; of equal versions the plain alias before variants and dated snapshots. */
export function newestModel(names: readonly string[]): string | null {
  const [best] = [...names].sort(compareModels);
  return best ?? null;
}

function compareModels(a: string, b: string): number {
  return compareVersions(versionOf(b), versionOf(a)) || a.length - b.length || (a < b ? 1 : a > b ? -1 : 0);
}

/** Model names hold slashes and dots that mean nothing here, so a star crosses them; braces and parentheses are plain text. */
function compile(pattern: string): (name: string) => boolean {
  const literal = pattern.replace(/[\\{}]|^!/g, '\\$&');
  return glob(literal, { nocase: true, anywhere: true });
}

/** The ways vendors append a date: 20250514, 2024-08-06, 09-2025, 0613. */
const DATE_SUFFIX = /[-@_.](?:\d{8}|\d{4}-\d{2}-\d{2}|\d{2}-\d{4}|(?:0[1-9]|1[0-2])[0-3]\d)$/;

function versionOf(name: string): number[] {
  return (name.replace(DATE_SUFFIX, '').match(/\d+/g) ?? []).map(Number);
}

function compareVersions(a: readonly number[], b: readonly number[]): number {
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const difference = (a[index] ?? -1) - (b[index] ?? -1);
    if (difference !== 0) return difference;
  }
  return 0;
}
