import { type CancellationToken, NO_USAGE } from '@amplifier/core';
import { inheritCatalog, type ModelCatalog } from '@amplifier/foundation';
import type { SessionLog } from '@amplifier/sessions';
import { Budget } from '../metering/budget.js';
import { capsOf } from '../metering/limits.js';
import type { RunSlot } from '../metering/run-slots.js';
import type { Tree } from '../metering/tree.js';
import type { LaunchRecord } from '../plan/launch-record.js';
import type { Runtime } from '../runtime.js';
import type { Parent } from './parent.js';
import { StopSwitch } from './stop-switch.js';
import type { Observe, PlannedTurn, Turn, Watching } from './turn.js';

/** Who asks for a turn, and what the turn shares with it. */
export interface Caller extends Pick<Turn, 'parent' | 'tree' | 'observe' | 'guarantor' | 'claim'> {
  /** Stops the turn, too. */
  cancellation: CancellationToken | undefined;
  /** A run slot that is held for the turn already. The caller releases it. */
  slot: RunSlot | null;
}

/** A session of this process that waits for the outcome. */
export function callerOf(parent: Parent, slot: RunSlot | null = null): Caller {
  const { tree, cancellation, claim, guarantor } = parent;
  return { parent, tree, cancellation, claim, observe: relayTo(parent), guarantor, slot };
}

/** An entry point. The outcome is on disk when it gets it. */
export function outsideCaller(tree: Tree, { cancellation, onEvent, claim = null }: Watching): Caller {
  const observe = onEvent ?? null;
  return { parent: null, tree, cancellation, claim, observe, guarantor: null, slot: null };
}

/** Builds every turn. Its instruction is in the log already. */
export function openTurn({ logs }: Runtime, planned: PlannedTurn, log: SessionLog, caller: Caller): Turn {
  const { launch, limits = null, carried = NO_USAGE } = planned;
  const { parent } = caller;
  const tree = limits ? caller.tree.forTurn(limits, carried) : caller.tree;
  return {
    launch,
    number: planned.number,
    instruction: planned.instruction,
    attached: planned.attached,
    plan: planned.plan,
    log,
    tree,
    budget: tree === caller.tree ? budgetOf(launch, log, caller) : tree.budget,
    parent,
    cancellation: new StopSwitch(caller.cancellation),
    observe: caller.observe,
    slot: caller.slot,
    carried,
    questions: planned.questions ?? [],
    warnings: planned.warnings ?? [],
    models: parent ? modelsOf(planned, parent) : (planned.models ?? null),
    guarantor: caller.guarantor,
    claim: caller.claim,
    logs,
  };
}

/** Events of a child reach the observers of its parent, and theirs in turn. */
export function relayTo(parent: Parent | null): Observe | null {
  const hooks = parent?.hooks;
  return hooks ? (name, data) => hooks.relay(name, data) : null;
}

function modelsOf({ plan, launch }: PlannedTurn, parent: Parent): ModelCatalog {
  return inheritCatalog(parent.models(), parent.plan, plan, launch.model.chosen?.config);
}

/** A root has the budget of its tree. A child's own cap holds over all its turns. */
function budgetOf(launch: LaunchRecord, log: SessionLog, { tree, parent }: Caller): Budget {
  if (launch.depth === 0) return tree.budget;
  const budget = new Budget(capsOf(launch), parent?.budget ?? tree.budget);
  const { total_tokens, cost_usd } = log.metadata.usage;
  budget.restore({ tokens: total_tokens, cost_usd });
  return budget;
}
