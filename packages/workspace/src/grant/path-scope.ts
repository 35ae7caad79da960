import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { escapeGlob, glob } from '@amplifier/core';
import { z } from 'zod';
import { actsInHome, actsLater } from '../trust/acts-later.js';

/** Where an access is allowed. Paths are absolute and already real: symlinks are resolved before they come here. */
export const PathScope = z.object({
  /** Files, or folders with everything below. `['/']` is everywhere, `[]` nowhere. */
  allow: z.array(z.string()),
  /** Refused with everything below, whatever `allow` says. */
  deny: z.array(z.string()),
  /**
   * Places inside denied ones that are not refused, such as the session's own isolated tree. The nearest of `deny` and `deny_except`
   * at or above a path decides; at the same place `deny` does.
   */
  deny_except: z.array(z.string()).optional(),
  /** Refuses files that other programs act on later (`acts-later.ts`), in every folder below `allow`. */
  refuse_acting: z.boolean().optional(),
  /** Homes of users, in which everything that begins with a dot, and `bin`, is refused as well: programs act on it when they start. */
  refuse_start_up: z.array(z.string()).optional(),
  /** Absolute globs of files, or folders with everything below, that are refused as well. */
  deny_globs: z.array(z.string()).optional(),
});
export type PathScope = z.infer<typeof PathScope>;

export const NOWHERE: PathScope = { allow: [], deny: [] };

/** A scope in its one canonical form: absolute, without doubles and without paths that another one covers. */
export function pathScope(
  allow: readonly string[],
  deny: readonly string[] = [],
  more: Omit<PathScope, 'allow' | 'deny'> = {},
): PathScope {
  const { refuse_acting = false, refuse_start_up = [], deny_globs = [], deny_except = [] } = more;
  const denied =
    deny_except.length === 0 ? { deny: outermost(deny) } : decisive(deny, deny_except, refuse_start_up);
  return {
    allow: outermost(allow),
    ...denied,
    ...(refuse_acting ? { refuse_acting } : {}),
    ...(refuse_start_up.length > 0 ? { refuse_start_up: [...new Set(refuse_start_up)].sort() } : {}),
    ...(deny_globs.length > 0 ? { deny_globs: [...new Set(deny_globs)].sort() } : {}),
  };
}

/** True when `path` is `folder` or below it. Both must be absolute; the comparison is by name only. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** Tests whether a path is one of the folders or below one, in time that does not depend on their number. All paths must be absolute. */
export function withinAny(folders: readonly string[]): (path: string) => boolean {
  const all = new Set(folders.map((folder) => resolve(folder)));
  return (path) => {
    const place = resolve(path);
    return all.has(place) || isBelowOne(place, all);
  };
}

/** Exactly the paths that both scopes allow. */
export function intersectScopes(a: PathScope, b: PathScope): PathScope {
  const allow = a.allow.flatMap((left) =>
    b.allow.flatMap((right) => (isWithin(left, right) ? [right] : isWithin(right, left) ? [left] : [])),
  );
  const refuse_acting = a.refuse_acting === true || b.refuse_acting === true;
  const deny_globs = [...(a.deny_globs ?? []), ...(b.deny_globs ?? [])];
  const refuse_start_up = [...(a.refuse_start_up ?? []), ...(b.refuse_start_up ?? [])];
  const deny_except = [
    ...(a.deny_except ?? []).filter((path) => !isRefusedPlace(b, path)),
    ...(b.deny_except ?? []).filter((path) => !isRefusedPlace(a, path)),
  ];
  return pathScope(allow, [...a.deny, ...b.deny], {
    refuse_acting,
    refuse_start_up,
    deny_globs,
    deny_except,
  });
}

function isRefusedPlace(scope: PathScope, path: string): boolean {
  return deniedPlace(scope)(path) !== null || startUpRefusal(scope, path) !== null;
}

/** The scope with only those denied paths, and exceptions from them, that are in one of the folders, or above one. */
export function denyOnlyIn(scope: PathScope, folders: readonly string[]): PathScope {
  const { allow, deny, deny_except = [], refuse_start_up = [], ...rest } = scope;
  const isInside = withinAny(folders);
  const above = new Set(folders.flatMap(ancestors));
  const counts = (path: string) => isInside(path) || above.has(path);
  return pathScope(allow, deny.filter(counts), {
    ...rest,
    deny_except: deny_except.filter(counts),
    refuse_start_up: refuse_start_up.filter(counts),
  });
}

/** The scope with more paths in it. What it refuses stays refused. */
export function widenScope({ allow, deny, ...rest }: PathScope, more: readonly string[]): PathScope {
  return pathScope([...allow, ...more], deny, rest);
}

/** The scope without what refuses these places themselves. What is denied inside them stays denied. */
export function exceptFromDenied(scope: PathScope, places: readonly string[]): PathScope {
  const { allow, deny, deny_except = [], ...rest } = scope;
  const others = deny.filter((path) => !places.includes(path));
  return pathScope(allow, others, { ...rest, deny_except: [...deny_except, ...places] });
}

/** Finds the denied place that covers a path, by name only; null if none does. Globs are not looked at. */
export function deniedPlace({
  deny,
  deny_except = [],
}: Pick<PathScope, 'deny' | 'deny_except'>): (path: string) => string | null {
  const same = (path: string) => (IGNORES_CASE ? lower(path) : path);
  const denied = new Map(deny.map((path) => [same(path), path]));
  const kept = new Set(deny_except.map(same));
  return (path) => {
    for (let place = same(path); ; place = dirname(place)) {
      const found = denied.get(place);
      if (found !== undefined) return found;
      if (kept.has(place) || dirname(place) === place) return null;
    }
  };
}

/**
 * Finds the denied place that covers a path below the folder: the path itself if a glob denies it. Only the places in the folder are compared,
 * because it is asked for every file of a tree.
 */
export function deniedBelow(scope: PathScope, folder: string): (path: string) => string | null {
  const same = (path: string) => (IGNORES_CASE ? lower(path) : path);
  const deny = scope.deny.filter((place) => isWithin(same(folder), same(place)));
  const placeOf = deniedPlace({ ...scope, deny });
  const matchers = (scope.deny_globs ?? []).map(globMatcher);
  return (path) => placeOf(path) ?? (matchers.some((matches) => matches(path)) ? path : null);
}

/** The scope for a copy of a folder: what is denied in the folder is denied in the copy as well. */
export function scopeInCopy(scope: PathScope, folder: string, copy: string): PathScope {
  const { allow, deny, deny_globs = [], refuse_start_up = [], ...rest } = scope;
  const both = (paths: readonly string[], from: string, to: string) =>
    paths.flatMap((path) =>
      path.startsWith(`${from}/`) ? [path, `${to}${path.slice(from.length)}`] : [path],
    );
  const globs = both(deny_globs, escapeGlob(folder), escapeGlob(copy));
  const homes = both(refuse_start_up, folder, copy);
  return pathScope(allow, both(deny, folder, copy), {
    ...rest,
    deny_globs: globs,
    refuse_start_up: refuse_start_up.includes(folder) ? [...homes, copy] : homes,
  });
}

/** Why `path` is outside the scope, or null when it is inside. */
export function scopeRefusal(scope: PathScope, path: string): string | null {
  if (path.includes('\0')) return 'the path contains a NUL byte';
  if (!isAbsolute(path)) return 'the path is not absolute';
  const place = resolve(path);
  const acting = actingRefusal(scope, place);
  if (acting !== null) return acting;
  const denied = deniedPlace(scope)(place);
  if (denied !== null) return `${denied} is denied`;
  const pattern = scope.deny_globs?.find((each) => globMatcher(each)(place));
  if (pattern !== undefined) return `${pattern} is denied`;
  if (scope.allow.some((folder) => isWithin(folder, place))) return null;
  if (scope.allow.length === 0) return 'no path is allowed';
  return `it is outside ${scope.allow.join(', ')}`;
}

/** Why a file below the scope may not be written although it is in no denied place; null otherwise. By name only. */
export function actingRefusal(scope: PathScope, path: string): string | null {
  const { allow, refuse_acting } = scope;
  const root = refuse_acting ? allow.find((folder) => isWithin(folder, path)) : undefined;
  const why = (root === undefined ? null : actsLater(relative(root, path))) ?? startUpRefusal(scope, path);
  return why && `${why}. ${HOW_TO_WRITE}`;
}

/** Why a path may not be written in a home; null for one that is in an exception inside that home. */
function startUpRefusal({ refuse_start_up = [], deny_except = [] }: PathScope, path: string): string | null {
  const isOwn = (home: string) =>
    deny_except.some((place) => place !== home && isWithin(home, place) && isWithin(place, path));
  const homes = refuse_start_up.filter((home) => isWithin(home, path) && !isOwn(home));
  return homes.map((home) => actsInHome(relative(home, path))).find((why) => why !== null) ?? null;
}

/** What a person can do about a refusal. */
export const HOW_TO_WRITE =
  'A session writes it only in yolo mode; in propose mode, a person can apply a patch that contains it';

/** Where two spellings of a name are one file. */
const IGNORES_CASE = process.platform === 'darwin' || process.platform === 'win32';
const lower = (path: string) => path.toLowerCase();

/** Matches what the glob names, and everything below. */
export function globMatcher(pattern: string): (path: string) => boolean {
  const known = MATCHERS.get(pattern);
  if (known) return known;
  if (MATCHERS.size >= MOST_MATCHERS) MATCHERS.clear();
  const made = glob([pattern, `${pattern}/**`], { dot: true, nocase: IGNORES_CASE });
  MATCHERS.set(pattern, made);
  return made;
}

/** A search checks the same few globs for every file that it finds. */
const MATCHERS = new Map<string, (path: string) => boolean>();
const MOST_MATCHERS = 1_000;

function outermost(paths: readonly string[]): string[] {
  const all = new Set(paths.map((path) => resolve(path)));
  return [...all].filter((path) => !isBelowOne(path, all)).sort();
}

/** The places that change what the nearest one above them decides. */
function decisive(
  deny: readonly string[],
  except: readonly string[],
  homes: readonly string[],
): Pick<PathScope, 'deny' | 'deny_except'> {
  const denied = new Set(deny.map((path) => resolve(path)));
  const kept = new Set(except.map((path) => resolve(path)));
  const isBelow = (path: string, refusing: ReadonlySet<string>) => {
    const nearest = ancestors(path).find((folder) => refusing.has(folder) || kept.has(folder));
    return nearest !== undefined && refusing.has(nearest);
  };
  const refusing = new Set([...denied, ...homes]);
  const exceptions = [...kept].filter((path) => !denied.has(path) && isBelow(path, refusing)).sort();
  return {
    deny: [...denied].filter((path) => !isBelow(path, denied)).sort(),
    ...(exceptions.length > 0 ? { deny_except: exceptions } : {}),
  };
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
