import type { JsonObject } from '@amplifier/core';
import { actsLaterIn, applyPatch, type Isolation, kindOfChange, type Patch } from '@amplifier/workspace';
import type { Outcome } from '../request/outcome.js';

interface BringBackOptions {
  /** Where isolated trees are. */
  home: string;
  /** The folder that the work goes to instead of the one that the tree was made from. */
  into?: string;
  /** Leave work to a person that includes files which other programs act on later. */
  refuseActing?: boolean;
}

/**
 * Brings what an agent did in a tree of its own to where it belongs when it is done: all of it or nothing, and never over somebody
 * else's changes. What a failed turn left, or what does not fit, stays in its tree, and the outcome says where.
 */
export async function bringBack(
  isolation: Isolation,
  outcome: Outcome,
  { home, into, refuseActing = false }: BringBackOptions,
): Promise<Outcome> {
  const patch = await isolation.patch();
  const artifact = patchArtifact(patch);
  if (patch.changes.length === 0) {
    await isolation.dispose();
    return withArtifact(outcome, { ...artifact, applied: false });
  }
  if (outcome.status !== 'completed') {
    await isolation.keep(
      `Session ${outcome.session_id} (${outcome.status}): its changes have not been applied.`,
      outcome.session_id,
    );
    return withArtifact(outcome, { ...artifact, applied: false, kept: isolation.tree });
  }
  const acting = refuseActing
    ? patch.changes.map(({ path }) => path).filter((path) => actsLaterIn(patch.target, path))
    : [];
  if (acting.length > 0) {
    await isolation.keep(
      `Session ${outcome.session_id}: its changes include files that other programs act on.`,
      outcome.session_id,
    );
    const why = `other programs act on ${acting.join(', ')}`;
    return withArtifact(notApplied(outcome, 'PROPOSAL_ACTS_LATER', why, isolation), {
      ...artifact,
      kept: isolation.tree,
    });
  }
  const applied = await applyPatch(into === undefined ? patch : { ...patch, target: into }, { home }).catch(
    async (error: unknown) => {
      await isolation.keep(
        `Session ${outcome.session_id}: its changes could not be applied.`,
        outcome.session_id,
      );
      throw error;
    },
  );
  if (applied.status === 'applied') {
    await isolation.dispose();
    const target = into ?? patch.target;
    return withArtifact(outcome, { ...artifact, target, applied: true, apply_id: applied.apply_id });
  }
  const paths = applied.conflicts.map(({ path }) => path);
  await isolation.keep(
    `Session ${outcome.session_id}: its changes no longer apply to the tree.`,
    outcome.session_id,
  );
  const failed = notApplied(outcome, 'APPLY_CONFLICT', `${paths.join(', ')} changed meanwhile`, isolation);
  return withArtifact(failed, { ...artifact, applied: false, conflicts: paths, kept: isolation.tree });
}

/** The outcome of an agent that is done and whose work waits for a person. */
function notApplied(
  { status: _, text, ...shared }: Extract<Outcome, { status: 'completed' }>,
  code: string,
  why: string,
  { id }: Isolation,
): Outcome {
  const message = `The agent is done, but ${why}, so nothing was applied. The diff is in this result. A person can apply it: amplifier proposals show ${id}`;
  return { ...shared, status: 'failed', partial_text: text, error: { code, message, retryable: false } };
}

function withArtifact(outcome: Outcome, artifact: JsonObject): Outcome {
  return { ...outcome, artifacts: [...outcome.artifacts, artifact] };
}

/** A patch as an outcome carries it. One that was never in an isolated tree has no id and no file. */
export function patchArtifact(
  patch: Omit<Patch, 'version' | 'content' | 'isolation_id' | 'diff_path' | 'is_cut'> & {
    isolation_id: string | null;
    diff_path: string | null;
  },
): JsonObject {
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
