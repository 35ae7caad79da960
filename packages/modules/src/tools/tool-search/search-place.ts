import { stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { glob, type ToolContext } from '@amplifier/core';
import { checkGrant, type Grant, realPathOf } from '@amplifier/workspace';
import { workingDirOf } from '../session-grant.js';
import { ToolError } from '../tool-error.js';
import type { FileAccess } from '../tool-filesystem/file-access.js';

export interface Place {
  root: string;
  grant: Grant;
  /** May this path, relative to the root, be shown? */
  mayShow(path: string): boolean;
  /** A path of the root as the model should write it: from the working folder where it lies inside. */
  shown(path: string): string;
}

export async function searchPlace(access: FileAccess, context: ToolContext, path: string): Promise<Place> {
  const root = await access.resolve(context, 'read', path);
  const grant = await access.grant(context);
  const base = (await stat(root)).isDirectory() ? root : dirname(root);
  const cwd = await realPathOf(workingDirOf(context));
  return {
    root,
    grant,
    mayShow: (found) => checkGrant(grant, { kind: 'read', path: join(base, found) }).allowed,
    shown(found) {
      const inside = relative(cwd, join(base, found));
      return inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)
        ? join(base, found)
        : inside;
    },
  };
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
