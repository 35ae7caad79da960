import { existsSync } from 'node:fs';
import { shorten } from '@amplifier/core';
import type { SessionLog } from '@amplifier/sessions';
import {
  checkGrant,
  type IsolateOptions,
  Isolation,
  pathScope,
  setUpTree,
  TOO_DEEP,
} from '@amplifier/workspace';
import type { LaunchRecord } from '../plan/launch-record.js';
import type { Outcome } from '../request/outcome.js';
import type { Turn } from '../turn/turn.js';
import { bringBack, patchArtifact } from './bring-back.js';
import type { Engine } from './engine.js';

/**
 * Runs the turns of another engine in a tree of their own, where the launch asks for one. The user's tree is not touched: what
 * the agent changed comes back as a patch among the outcome's artifacts, applied by nobody. The tree is kept as long as it
 * holds changes, so that a resumed session finds its work again. Whoever works for a session in such a tree has its changes brought
 * into that one: they are part of what the session above hands back.
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
    const above = isolation.record.stands_for === null ? null : isolation.record.source;
    if (above !== null && existsSync(above))
      return bringBack(isolation, outcome, { home: this.#home, into: above });
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
    { workspace, grant }: LaunchRecord,
    log: SessionLog,
  ): Promise<{ isolation: Isolation; warnings: string[] }> {
    const known = log.metadata.extra.isolation_id;
    if (typeof known === 'string') {
      const kept = await Isolation.open(this.#home, known).catch(() => null);
      if (kept) return { isolation: kept, warnings: [] };
    }
    const { cwd: source, folder: standsFor, isolation } = workspace;
    const kind = isolation === 'copy' ? isolation : undefined;
    const made = await makeTree({ home: this.#home, source, standsFor, kind }, this.#needs, grant);
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
  grant: Pick<LaunchRecord['grant'], 'read' | 'network'>,
): Promise<{ isolation: Isolation; warnings: string[] }> {
  const isolation = await Isolation.create({ ...options, readable: grant.read, carry });
  const read = isolation.readable(grant.read);
  const failure = setup === null ? null : await setUpTree(isolation, setup, { ...grant, read });
  const { denied, skipped } = isolation.record;
  const deep = skipped.filter(({ reason }) => reason === TOO_DEEP).map(({ path }) => path);
  const warnings = [
    ...leftOutWarning(denied, 'the session may not read it'),
    ...leftOutWarning(deep, TOO_DEEP),
  ];
  return { isolation, warnings: failure === null ? warnings : [...warnings, failure] };
}

const MAX_NAMED = 20;

const MAX_NAME = 200;

function leftOutWarning(paths: readonly string[], reason: string): string[] {
  if (paths.length === 0) return [];
  const more = paths.length - MAX_NAMED;
  const named = paths.slice(0, MAX_NAMED).map((path) => shorten(path, MAX_NAME));
  const names = named.join(', ') + (more > 0 ? ` and ${more} more` : '');
  return [`The isolated tree does not contain ${names}, because ${reason}. In your folder it is unchanged.`];
}

/** The same launch in the isolated tree. `propose` may write there; any other mode if it may write in the user's folder. */
function moved(launch: LaunchRecord, isolation: Isolation): LaunchRecord {
  const { path, tree } = isolation;
  const mayWrite =
    launch.safety_mode === 'propose' ||
    checkGrant(launch.grant, { kind: 'write', path: launch.workspace.cwd }).allowed;
  return {
    ...launch,
    workspace: { ...launch.workspace, cwd: path, folder: launch.workspace.folder ?? launch.workspace.cwd },
    grant: {
      ...launch.grant,
      read: isolation.readable(launch.grant.read),
      write: pathScope(mayWrite ? [tree] : []),
    },
  };
}
