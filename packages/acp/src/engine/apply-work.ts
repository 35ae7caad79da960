import { bringBack, type LaunchRecord, makeTree, type Outcome, type TreeNeeds } from '@amplifier/delegation';
import type { Isolation } from '@amplifier/workspace';

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
  const write = isolation.writable(launch.grant.write);
  const read = isolation.readable(launch.grant.read);
  return {
    launch: {
      ...launch,
      workspace: { ...launch.workspace, cwd: isolation.path },
      grant: { ...launch.grant, read, write },
    },
    isolation,
    warnings,
    finish: (outcome) => bringBack(isolation, outcome, { home, refuseActing: write.refuse_acting === true }),
  };
}
