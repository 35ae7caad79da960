import { stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { glob, type ToolContext } from '@amplifier/core';
import { checkGrant, type Grant, listInside, realPathOf } from '@amplifier/workspace';
import { workingDirOf } from '../session-grant.js';
import { ToolError } from '../tool-error.js';
import type { FileAccess } from '../tool-filesystem/file-access.js';

export interface Place {
  root: string;
  grant: Grant;
  /** May this path, relative to the root, be shown? */
  mayShow(path: string): boolean;
  /**
   * Is there such a file in a folder that may be read? An engine lists folders by name, and a command may replace one by a link
   * during the search.
   */
  isThere(path: string): Promise<boolean>;
  /** A path of the root as the model should write it: from the working folder where it lies inside. */
  shown(path: string): string;
}

export async function searchPlace(access: FileAccess, context: ToolContext, path: string): Promise<Place> {
  const root = await access.resolve(context, 'read', path);
  const grant = await access.grant(context);
  const base = (await stat(root)).isDirectory() ? root : dirname(root);
  const cwd = await realPathOf(workingDirOf(context));
  const listed = new Map<string, Promise<ReadonlySet<string>>>();
  return {
    root,
    grant,
    mayShow: (found) => checkGrant(grant, { kind: 'read', path: join(base, found) }).allowed,
    async isThere(found) {
      const folder = dirname(join(base, found));
      const names = listed.get(folder) ?? filesOf(grant, folder);
      listed.set(folder, names);
      return (await names).has(basename(found));
    },
    shown(found) {
      const inside = relative(cwd, join(base, found));
      return inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)
        ? join(base, found)
        : inside;
    },
  };
}

/** Empty for a folder that cannot be listed as it was checked. */
async function filesOf(grant: Grant, folder: string): Promise<ReadonlySet<string>> {
  const entries = await listInside(grant, folder).catch(() => []);
  return new Set(entries.filter((entry) => entry.isFile()).map(({ name }) => name));
}

/** A pattern without a slash is about the name in any folder, as everywhere. */
export function pathMatcher(pattern: string): (path: string) => boolean {
  const anchored = pattern.replace(/^\.?\//, '');
  try {
    return glob(anchored.includes('/') ? anchored : [anchored, `**/${anchored}`], { dot: true });
  } catch (cause) {
    throw new ToolError('INVALID_PATTERN', (cause as Error).message, { cause });
  }
}
