import type { JsonObject } from '@amplifier/core';
import { kindOfChange, type Patch } from '@amplifier/workspace';

/** A patch as an outcome carries it. */
export function patchArtifact(patch: Patch): JsonObject {
  const { isolation_id, target, diff, diff_path, changes, ignored, skipped, leads_outside } = patch;
  return {
    kind: 'patch',
    isolation_id,
    target,
    applied: false,
    changes: changes.map((change) => ({ path: change.path, kind: kindOfChange(change) })),
    ignored: ignored.map(({ path }) => path),
    skipped,
    leads_outside,
    diff,
    diff_path,
  };
}
