import { AbortError, type MountPlan, NO_USAGE, type Usage } from '@amplifier/core';
import { inheritCatalog, type ModelCatalog } from '@amplifier/foundation';
import type { SessionLog } from '@amplifier/sessions';
import { outcomeOf } from './engine/ending.js';
import type { Engine, Turn } from './engine/engine.js';
import type { StopReason, StopSwitch } from './engine/stop-switch.js';
import type { LaunchRecord } from './launch-record.js';
import { Budget } from './limits/budget.js';
import { capsOf, type TurnLimits } from './limits/limits.js';
import type { Slot } from './limits/slots.js';
import type { Tree } from './limits/tree.js';
import type { Outcome } from './outcome.js';
import type { Parent, ParentLog } from './parent.js';
import { recordOutcome } from './stored-outcome.js';

export interface TurnToRun {
  launch: LaunchRecord;
  /** With its secrets. */
  plan: MountPlan;
  /** It has been validated. */
  isValidPlan?: boolean | undefined;
  log: SessionLog;
  number: number;
  /** Already in the log. */
  prompt: string;
  /** What the turn had consumed before, when another process began it. */
  carried?: Usage;
  /** Questions a dead process of this turn was waiting on. */
  questions?: Turn['questions'];
  /** What the parent should know beside the answer. */
  warnings?: readonly string[];
  tree: Tree;
  /** The place it has been given already. */
  slot?: Slot | undefined;
  /** Where a door gave this turn limits of its own: those it and its children share, this turn alone. */
  limits?: TurnLimits | null;
  parent: Parent | null;
  /** What is known of the models of a root's providers. A child has what its parent knows. */
  models?: ModelCatalog | undefined;
  /** Who makes the outcome last in what they write next, before they act on it. Without one it is waited for here. */
  reliesOn?: ParentLog | null;
  stop: StopSwitch;
  onEvent: Turn['onEvent'];
}

/**
 * Runs one turn of a session to its outcome and makes the outcome a fact of the session's log. A child waits in line for
 * a place first. Never rejects for what happened in the turn; rejects when the outcome itself cannot be kept.
 */
export async function runTurn(engine: Engine, turn: TurnToRun): Promise<Outcome> {
  const outcome = await endTurn(engine, turn);
  const recorded = recordOutcome(turn.log, turn.number, outcome);
  // The session is given back in the same commit.
  const ended = Promise.all([recorded, turn.log.close()]);
  await (turn.reliesOn?.rely(ended) ?? ended);
  return outcome;
}

async function endTurn(engine: Engine, turn: TurnToRun): Promise<Outcome> {
  const { launch, log, tree, parent, stop } = turn;
  let slot = turn.slot ?? null;
  let active: Promise<unknown> | null = null;
  try {
    if (launch.depth > 0) slot ??= tree.slots.tryAcquire() ?? (await tree.slots.acquire(stop.token));
    if (log.metadata.status !== 'active' || log.metadata.interrupted) {
      active = log.transition('active', {}, { trailing: launch.depth > 0 });
      active.catch(() => {});
    }
    // A root that died is found by its status. A child is found by its parent, and need not wait for the disk here.
    if (launch.depth === 0) await active;
    const carried = turn.carried ?? NO_USAGE;
    const scope = turn.limits ? tree.forTurn(turn.limits, carried) : tree;
    const budget = scope === tree ? budgetOf(turn) : scope.budget;
    const outcome = await engine.run(
      launch,
      {
        number: turn.number,
        prompt: turn.prompt,
        log,
        tree: scope,
        budget,
        slot,
        carried,
        questions: turn.questions ?? [],
        warnings: turn.warnings ?? [],
        onEvent: turn.onEvent,
        isWatched: () => turn.onEvent !== null && (parent?.isWatched() ?? true),
        plan: turn.plan,
        isValidPlan: turn.isValidPlan ?? false,
        models: knownModels(turn),
      },
      stop,
    );
    return outcome;
  } catch (error) {
    return neverRan(launch, error, stop);
  } finally {
    slot?.release();
  }
}

function knownModels({ parent, plan, launch, models }: TurnToRun): ModelCatalog | null {
  if (!parent) return models ?? null;
  return inheritCatalog(parent.models(), parent.plan, plan, launch.model.chosen?.config);
}

/** A root has the budget of its tree. A child's own cap holds over all its turns. */
function budgetOf({ launch, log, tree, parent }: TurnToRun): Budget {
  if (launch.depth === 0) return tree.budget;
  const budget = new Budget(capsOf(launch), parent?.budget ?? tree.budget);
  const { total_tokens, cost_usd } = log.metadata.usage;
  budget.restore({ tokens: total_tokens, cost_usd });
  return budget;
}

/** The turn ended before the engine could say how. */
function neverRan(launch: LaunchRecord, error: unknown, stop: StopSwitch): Outcome {
  const stopped = error instanceof AbortError ? stop.reason : null;
  return unrun(launch, stopped ? { stopped } : { thrown: error });
}

/** The outcome of a turn in which nothing was said. */
export function unrun(launch: LaunchRecord, why: { thrown?: unknown; stopped?: StopReason }): Outcome {
  return outcomeOf({
    launch,
    text: '',
    loop_status: null,
    finish_reason: null,
    turn_count: 0,
    usage: NO_USAGE,
    model_used: null,
    thrown: why.thrown ?? null,
    stopped: why.stopped ?? null,
  });
}
