import type { JsonObject } from '@amplifier/core';
import type { SessionLog } from '@amplifier/sessions';
import {
  checkGrant,
  type IsolateOptions,
  Isolation,
  kindOfChange,
  type Patch,
  pathScope,
  setUpTree,
} from '@amplifier/workspace';
import type { LaunchRecord } from '../launch-record.js';
import type { Outcome } from '../outcome.js';
import type { Turn } from '../turn.js';
import type { Engine } from './engine.js';

/**
 * Runs the turns of another engine in a tree of their own, where the launch asks for one. The user's tree is not touched: what
 * the agent changed comes back as a patch among the outcome's artifacts, applied by nobody. The tree is kept as long as it
 * holds changes, so that a resumed session finds its work again.
 */
export class IsolatedEngine implements Engine {
  #inner: Engine;
  /** Where isolated trees live. Must outlive this process. */
  #home: string;
  #needs: TreeNeeds;

  constructor(inner: Engine, home: string, needs: TreeNeeds) {
    this.#inner = inner;
    this.#home = home;
    this.#needs = needs;
  }

  async run(turn: Turn): Promise<Outcome> {
    const { launch } = turn;
    const { isolation, warnings } = await this.#open(launch, turn.log);
    const work = { ...turn, launch: moved(launch, isolation), isolation };
    const outcome = await this.#inner.run({ ...work, warnings: [...turn.warnings, ...warnings] });
    const patch = await isolation.patch();
    if (patch.changes.length === 0) await isolation.dispose();
    else
      await isolation.keep(
        `Session ${launch.session_id} (${outcome.status}): its changes have not been applied.`,
        launch.session_id,
      );
    return { ...outcome, artifacts: [...outcome.artifacts, patchArtifact(patch)] };
  }

  /** The tree of an earlier turn, where it still is; a new one otherwise. Its id is on disk before anything runs in it. */
  async #open(
    { workspace }: LaunchRecord,
    log: SessionLog,
  ): Promise<{ isolation: Isolation; warnings: string[] }> {
    const known = log.metadata.extra.isolation_id;
    if (typeof known === 'string') {
      const kept = await Isolation.open(this.#home, known).catch(() => null);
      if (kept) return { isolation: kept, warnings: [] };
    }
    const kind = workspace.isolation === 'copy' ? { kind: 'copy' as const } : {};
    const made = await makeTree({ home: this.#home, source: workspace.cwd, ...kind }, this.#needs);
    await log.update({ extra: { isolation_id: made.isolation.id } });
    return made;
  }
}

/** What an isolated tree gets beside the files of its source. */
export interface TreeNeeds {
  /** Globs of what git ignores and work needs, such as installed packages. */
  carry: readonly string[];
  /** A command that is run in each new tree before anybody works in it. */
  setup: string | null;
}

export const NO_NEEDS: TreeNeeds = { carry: [], setup: null };

/** A new tree with all it needs, and what of that went wrong. */
export async function makeTree(
  options: IsolateOptions,
  { carry, setup }: TreeNeeds,
): Promise<{ isolation: Isolation; warnings: string[] }> {
  const isolation = await Isolation.create({ ...options, carry });
  const failure = setup === null ? null : await setUpTree(isolation, setup);
  return { isolation, warnings: failure === null ? [] : [failure] };
}

/** The same launch, acting in the isolated tree: what it may write in the user's tree it may write there, and nowhere else. */
function moved(launch: LaunchRecord, { path, tree }: Isolation): LaunchRecord {
  const mayWrite = checkGrant(launch.grant, { kind: 'write', path: launch.workspace.cwd }).allowed;
  return {
    ...launch,
    workspace: { ...launch.workspace, cwd: path },
    grant: { ...launch.grant, write: pathScope(mayWrite ? [tree] : []) },
  };
}

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
