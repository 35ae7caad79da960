import { errorInfo } from '@amplifier/core';
import { Comparison } from '@amplifier/workspace';
import type { LaunchRecord } from '../plan/launch-record.js';
import { isolationIn } from '../plan/with-rights.js';
import { DelegationError } from '../request/delegation-error.js';
import type { Outcome } from '../request/outcome.js';
import type { Runtime } from '../runtime.js';
import type { Turn } from '../turn/turn.js';
import { patchArtifact } from './bring-back.js';
import type { Engine } from './engine.js';
import { IsolatedEngine } from './isolated-engine.js';

/** The engine that runs a launch, in an isolated tree where the launch has one. Throws when nothing here can run it. */
export function engineOf({ engines, project }: Runtime, launch: LaunchRecord): Engine {
  const { engine: id, workspace, safety_mode } = launch;
  const [kind = ''] = id.split(':');
  const engine = Object.hasOwn(engines, kind) ? engines[kind] : undefined;
  if (!engine) {
    throw new DelegationError(`Nothing here can run '${id}'.`, { code: 'ENGINE_UNKNOWN', origin: id });
  }
  const { isolationHome, isolation } = project;
  // Decided here, too: a launch record of an earlier version may say `none` for `propose`.
  if (isolationIn(safety_mode, workspace.isolation) === 'none') {
    const isCompared = workspace.report_changes && (id === 'in_process' || workspace.direct);
    return isCompared && isolationHome !== undefined ? new ComparingEngine(engine, isolationHome) : engine;
  }
  if (isolationHome !== undefined) return new IsolatedEngine(engine, isolationHome, isolation);
  const message =
    safety_mode === 'propose'
      ? 'The mode propose works in an isolated tree, and this host has no folder for such trees. Use read_only or write.'
      : 'This host has no folder for isolated trees. Delegate without isolation.';
  throw new DelegationError(message, { code: 'CAPABILITY_MISSING' });
}

/**
 * Runs the turns of another engine in the user's folder and adds what they changed there to the outcome: a patch among its artifacts,
 * already applied. If the folder cannot be compared, the turn runs and the outcome has a warning.
 */
class ComparingEngine implements Engine {
  #inner: Engine;
  /** Where the state of the folder is kept. Must outlive this process: another one may finish the turn. */
  #home: string;

  constructor(inner: Engine, home: string) {
    this.#inner = inner;
    this.#home = home;
  }

  async run(turn: Turn): Promise<Outcome> {
    const comparison = await this.#begin(turn).catch((error: unknown) => errorInfo(error).message);
    const outcome = await this.#inner.run(turn);
    if (typeof comparison === 'string') return warned(outcome, comparison);
    try {
      const found = await comparison.changes();
      const artifact = patchArtifact({ ...found, isolation_id: null, diff_path: null, ignored: [] });
      const applied = found.changes.length > 0;
      return { ...outcome, artifacts: [...outcome.artifacts, { ...artifact, applied }] };
    } catch (error) {
      return warned(outcome, errorInfo(error).message);
    } finally {
      await comparison.dispose();
    }
  }

  /** The comparison that this turn began with, also if another process began it. */
  async #begin({ launch: { workspace, grant }, log, number }: Turn): Promise<Comparison> {
    const options = { home: this.#home, folder: workspace.cwd, readable: grant.read };
    const known = log.metadata.extra.compared_with as { id?: unknown; turn?: unknown } | undefined;
    const begun =
      known?.turn === number && typeof known.id === 'string'
        ? await Comparison.open(known.id, options)
        : null;
    if (begun) return begun;
    const comparison = await Comparison.begin(options);
    await log.update({ extra: { compared_with: { id: comparison.id, turn: number } } });
    return comparison;
  }
}

function warned(outcome: Outcome, why: string): Outcome {
  const warning = `The changes in the folder are not listed: ${why}`;
  return { ...outcome, warnings: [...outcome.warnings, warning] };
}
