import { AbortError, type MountPlan, NO_USAGE } from '@amplifier/core';
import type { SessionLog } from '@amplifier/sessions';
import { outcomeOf } from './engine/ending.js';
import type { Engine, Turn } from './engine/engine.js';
import type { StopSwitch } from './engine/stop-switch.js';
import type { LaunchRecord } from './launch-record.js';
import { Budget } from './limits/budget.js';
import type { Slot } from './limits/slots.js';
import type { Tree } from './limits/tree.js';
import type { Outcome } from './outcome.js';
import type { Parent } from './parent.js';
import { recordOutcome } from './stored-outcome.js';

export interface TurnToRun {
  launch: LaunchRecord;
  /** With its secrets. */
  plan: MountPlan;
  log: SessionLog;
  number: number;
  /** Already in the log. */
  prompt: string;
  tree: Tree;
  parent: Parent | null;
  stop: StopSwitch;
  onEvent: Turn['onEvent'];
}

/**
 * Runs one turn of a session to its outcome and makes the outcome a fact of the session's log. A child waits in line for
 * a place first. Never rejects for what happened in the turn; rejects when the outcome itself cannot be kept.
 */
export async function runTurn(engine: Engine, turn: TurnToRun): Promise<Outcome> {
  const outcome = await endTurn(engine, turn);
  await recordOutcome(turn.log, turn.number, outcome);
  return outcome;
}

async function endTurn(engine: Engine, turn: TurnToRun): Promise<Outcome> {
  const { launch, log, tree, parent, stop } = turn;
  let slot: Slot | null = null;
  try {
    if (launch.depth > 0) slot = await tree.slots.acquire(stop.token.signal);
    await log.transition('active');
    const budget =
      launch.depth === 0 ? tree.budget : new Budget(launch.limits, parent?.budget ?? tree.budget);
    return await engine.run(
      launch,
      {
        number: turn.number,
        prompt: turn.prompt,
        log,
        tree,
        budget,
        slot,
        onEvent: turn.onEvent,
        plan: turn.plan,
      },
      stop,
    );
  } catch (error) {
    return neverRan(launch, error, stop);
  } finally {
    slot?.release();
  }
}

/** The turn ended before the engine could say how. */
function neverRan(launch: LaunchRecord, error: unknown, stop: StopSwitch): Outcome {
  const stopped = error instanceof AbortError ? stop.reason : null;
  const ending = {
    launch,
    text: '',
    loop_status: null,
    finish_reason: null,
    turn_count: 0,
    usage: NO_USAGE,
    model_used: null,
  };
  return outcomeOf({ ...ending, thrown: stopped ? null : error, stopped });
}
