import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { z } from 'zod';

/** Where an access is allowed. Paths are absolute and already real: symlinks are resolved before they come here. */
export const PathScope = z.object({
  /** Files, or folders with everything below. `['/']` is everywhere, `[]` nowhere. */
  allow: z.array(z.string()),
  /** Refused with everything below, whatever `allow` says. */
  deny: z.array(z.string()),
});
export type PathScope = z.infer<typeof PathScope>;

export const NOWHERE: PathScope = { allow: [], deny: [] };

/** A scope in its one canonical form: absolute, without doubles and without paths that another one covers. */
export function pathScope(allow: readonly string[], deny: readonly string[] = []): PathScope {
  return { allow: outermost(allow), deny: outermost(deny) };
}

/** True when `path` is `folder` or below it. Both must be absolute; the comparison is by name only. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** Exactly the paths that both scopes allow. */
export function intersectScopes(a: PathScope, b: PathScope): PathScope {
  const allow = a.allow.flatMap((left) =>
    b.allow.flatMap((right) => (isWithin(left, right) ? [right] : isWithin(right, left) ? [left] : [])),
  );
  return pathScope(allow, [...a.deny, ...b.deny]);
}

/** Why `path` is outside the scope, or null when it is inside. */
export function scopeRefusal(scope: PathScope, path: string): string | null {
  if (path.includes('\0')) return 'the path contains a NUL byte';
  if (!isAbsolute(path)) return 'the path is not absolute';
  const place = resolve(path);
  const denied = scope.deny.find((folder) => isWithin(folder, place));
  if (denied !== undefined) return `${denied} is denied`;
  if (scope.allow.some((folder) => isWithin(folder, place))) return null;
  if (scope.allow.length === 0) return 'no path is allowed';
  return `it is outside ${scope.allow.join(', ')}`;
}

function outermost(paths: readonly string[]): string[] {
  const all = new Set(paths.map((path) => resolve(path)));
  return [...all].filter((path) => !isBelowOne(path, all)).sort();
}

/** Without a list of the folders above: every delegation comes by here several times. */
function isBelowOne(path: string, folders: ReadonlySet<string>): boolean {
  for (let [below, above] = [path, dirname(path)]; above !== below; [below, above] = [above, dirname(above)])
    if (folders.has(above)) return true;
  return false;
}

/** The folders above a path, nearest first. */
export function ancestors(path: string): string[] {
  const above = dirname(path);
  return above === path ? [] : [above, ...ancestors(above)];
}
