import { errorInfo } from '@amplifier/core';
import { Isolation } from '@amplifier/workspace';
import type { Outcome } from '../outcome.js';
import type { Turn } from '../turn.js';
import type { Engine } from './engine.js';
import { patchArtifact } from './patch-artifact.js';

/**
 * Runs the turns of another engine where they are, in the user's tree, and says what they changed there: a patch among the
 * outcome's artifacts, already applied. Where the tree cannot be kept for comparison, a warning says so and the turn runs.
 */
export class ComparingEngine implements Engine {
  #inner: Engine;
  /** Where the trees to compare with live. Must outlive this process: a turn may be taken over. */
  #home: string;

  constructor(inner: Engine, home: string) {
    this.#inner = inner;
    this.#home = home;
  }

  async run(turn: Turn): Promise<Outcome> {
    const before = await this.#before(turn).catch((error: unknown) => errorInfo(error).message);
    const outcome = await this.#inner.run(turn);
    if (typeof before === 'string') return warned(outcome, before);
    try {
      await before.follow(turn.launch.grant.read);
      const patch = await before.patch();
      const artifact = { ...patchArtifact(patch), applied: patch.changes.length > 0 };
      return { ...outcome, artifacts: [...outcome.artifacts, artifact] };
    } catch (error) {
      return warned(outcome, errorInfo(error).message);
    } finally {
      await before.dispose();
    }
  }

  /** The tree as it was when the turn began, also when another process began it. */
  async #before({ launch: { workspace, grant }, log, number }: Turn): Promise<Isolation> {
    const known = log.metadata.extra.compared_with as { id?: unknown; turn?: unknown } | undefined;
    if (known?.turn === number && typeof known.id === 'string') {
      const kept = await Isolation.open(this.#home, known.id).catch(() => null);
      if (kept) return kept;
    }
    const isolation = await Isolation.create({
      home: this.#home,
      source: workspace.cwd,
      readable: grant.read,
    });
    await log.update({ extra: { compared_with: { id: isolation.id, turn: number } } });
    return isolation;
  }
}

function warned(outcome: Outcome, why: string): Outcome {
  const warning = `The changes in the folder are not listed: ${why}`;
  return { ...outcome, warnings: [...outcome.warnings, warning] };
}
