import { join, relative } from 'node:path';
import { type Isolation, isWithin } from '@amplifier/workspace';

/** For an agent that cannot be shown its tree where the user's own lies. */
export function placeNote(isolation: Isolation | null): string {
  const source = isolation ? ownTree(isolation) : null;
  if (!isolation || !source) return '';
  return `You work in ${isolation.path}, a copy of ${join(source, isolation.record.prefix)}. Where a path below ${source} is named, use the same path below ${isolation.tree}: what is written elsewhere is refused or lost.`;
}

/** A place in the agent's tree as the person knows it: in their own folder. */
export function shownPath(path: string, isolation: Isolation | null): string {
  const source = isolation ? ownTree(isolation) : null;
  return isolation && source !== null && isWithin(isolation.tree, path)
    ? join(source, relative(isolation.tree, path))
    : path;
}

/** The root of the user's own tree. */
function ownTree({ record: { stands_for, source } }: Isolation): string | null {
  return stands_for ?? source;
}
