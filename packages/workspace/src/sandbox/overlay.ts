import { relative, resolve } from 'node:path';
import { isWithin } from '../grant/path-scope.js';

/** A folder or file that a confined command sees at another place than it lies, over what lies there. */
export interface Overlay {
  from: string;
  at: string;
}

/** Something mounted at a path; the same can be mounted at another one. */
export interface Mount {
  path: string;
  options: (at: string) => readonly string[];
}

/**
 * The mounts with the overlays among them. What is mounted inside an overlaid folder holds at its new place too, and what would
 * be mounted where an overlay lies is left out.
 */
export function withOverlays(
  mounts: readonly Mount[],
  overlays: readonly Overlay[],
  isWritable: (path: string) => boolean,
): Mount[] {
  const own = overlays.map(({ from, at }) => ({
    path: at,
    options: (place: string) => [isWritable(from) ? '--bind' : '--ro-bind', from, place],
  }));
  const repeated = overlays.flatMap(({ from, at }) =>
    [...mounts, ...own]
      .filter(({ path }) => path !== from && isWithin(from, path))
      .map(({ path, options }) => ({ path: resolve(at, relative(from, path)), options })),
  );
  const uncovered = mounts.filter(({ path }) => !overlays.some(({ at }) => isWithin(at, path)));
  return [...uncovered, ...own, ...repeated];
}
