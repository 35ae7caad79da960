import { join, relative } from 'node:path';
import { bringBack, type LaunchRecord, makeTree, type Outcome, type TreeNeeds } from '@amplifier/delegation';
import { type Isolation, isWithin, pathScope } from '@amplifier/workspace';

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
  const { isolation, warnings } = await makeTree({ home, source: launch.workspace.cwd }, needs, launch.grant);
  const { allow, deny } = launch.grant.write;
  const everywhere = allow.includes('/');
  const { source } = isolation.record;
  // What may not be written in the user's tree may not be written in this one.
  const here = deny.flatMap((path) =>
    source !== null && isWithin(source, path) ? [join(isolation.tree, relative(source, path))] : [],
  );
  // The tree may be in a folder that is denied, such as the Amplifier home.
  const elsewhere = deny.filter((path) => !isWithin(path, isolation.tree));
  const write = everywhere
    ? launch.grant.write
    : pathScope([isolation.tree, ...isolation.gitWritable], [...elsewhere, ...here]);
  const read = isolation.readable(launch.grant.read);
  return {
    launch: {
      ...launch,
      workspace: { ...launch.workspace, cwd: isolation.path },
      grant: { ...launch.grant, read, write },
    },
    isolation,
    warnings,
    finish: (outcome) => bringBack(isolation, outcome, { home }),
  };
}
