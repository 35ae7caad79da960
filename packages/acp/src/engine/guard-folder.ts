import type { LaunchRecord } from '@amplifier/delegation';
import type { Sandbox } from '@amplifier/workspace';
import { changedPaths, fingerprintTree } from './fingerprint-tree.js';

const NAMED_PATHS = 10;

/** Looks at the folder of an agent that may only read and that no sandbox holds. Resolves to a look at what changed since; null: nothing to guard. */
export async function guardFolder(
  { safety_mode, workspace }: Pick<LaunchRecord, 'safety_mode' | 'workspace'>,
  { guarantees }: Sandbox,
): Promise<(() => Promise<string | null>) | null> {
  if (safety_mode !== 'read_only' || guarantees.writes_confined) return null;
  const before = await fingerprintTree(workspace.cwd);
  if (before === null) return null;
  return async () => {
    const after = await fingerprintTree(workspace.cwd);
    const changed = after ? changedPaths(before, after) : [];
    if (changed.length === 0) return null;
    const more = changed.length > NAMED_PATHS ? ` and ${changed.length - NAMED_PATHS} more` : '';
    return `The agent may only read, and while it ran these changed: ${changed.slice(0, NAMED_PATHS).join(', ')}${more}.`;
  };
}
