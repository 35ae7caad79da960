import { join, relative } from 'node:path';
import type { JsonObject } from '@amplifier/core';
import {
  type LaunchRecord,
  makeTree,
  type Outcome,
  patchArtifact,
  type TreeNeeds,
} from '@amplifier/delegation';
import { applyPatch, type Isolation, isWithin, pathScope } from '@amplifier/workspace';

export interface IsolatedWork {
  launch: LaunchRecord;
  isolation: Isolation;
  /** What went wrong when the tree was made. */
  warnings: string[];
  /** Brings the work back, all or nothing, and says what became of it. */
  finish(outcome: Outcome): Promise<Outcome>;
}

/**
 * Lets an agent work in a tree of its own and brings its work back when it is done: all of it or nothing, and never over
 * somebody else's changes. What a failed turn left, or what does not fit, is kept in its tree and handed back as a patch.
 */
export async function isolateWork(
  launch: LaunchRecord,
  home: string,
  needs: TreeNeeds,
): Promise<IsolatedWork> {
  const { isolation, warnings } = await makeTree({ home, source: launch.workspace.cwd }, needs);
  const { allow, deny } = launch.grant.write;
  const everywhere = allow.includes('/');
  const { source } = isolation.record;
  // What may not be written in the user's tree may not be written in this one.
  const here = deny.flatMap((path) =>
    source !== null && isWithin(source, path) ? [join(isolation.tree, relative(source, path))] : [],
  );
  const write = everywhere
    ? launch.grant.write
    : pathScope([isolation.tree, ...isolation.gitWritable], [...deny, ...here]);
  return {
    launch: {
      ...launch,
      workspace: { ...launch.workspace, cwd: isolation.path },
      grant: { ...launch.grant, write },
    },
    isolation,
    warnings,
    finish: (outcome) => bringBack(isolation, home, outcome),
  };
}

async function bringBack(isolation: Isolation, home: string, outcome: Outcome): Promise<Outcome> {
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
  const applied = await applyPatch(patch, { home });
  if (applied.status === 'applied') {
    await isolation.dispose();
    return withArtifact(outcome, { ...artifact, applied: true, apply_id: applied.apply_id });
  }
  const paths = applied.conflicts.map(({ path }) => path);
  await isolation.keep(
    `Session ${outcome.session_id}: its changes do not fit the tree any more.`,
    outcome.session_id,
  );
  const message = `The agent is done, but ${paths.join(', ')} changed meanwhile, so nothing was applied. Its work is in ${isolation.tree}.`;
  const { status: _, text, ...shared } = outcome;
  const failed: Outcome = {
    ...shared,
    status: 'failed',
    partial_text: text,
    error: { code: 'APPLY_CONFLICT', message, retryable: false },
  };
  return withArtifact(failed, { ...artifact, applied: false, conflicts: paths, kept: isolation.tree });
}

function withArtifact(outcome: Outcome, artifact: JsonObject): Outcome {
  return { ...outcome, artifacts: [...outcome.artifacts, artifact] };
}
