import { type ContentBlock, type JsonObject, type MountPlan, NO_USAGE, type Usage } from '@amplifier/core';
import { inheritCatalog, type ModelCatalog } from '@amplifier/foundation';
import type { SessionLog } from '@amplifier/sessions';
import type { Isolation } from '@amplifier/workspace';
import type { LeftQuestion } from './engine/questions.js';
import type { StopSwitch } from './engine/stop-switch.js';
import type { LaunchRecord } from './launch-record.js';
import { Budget } from './limits/budget.js';
import { capsOf, type TurnLimits } from './limits/limits.js';
import type { RunSlot } from './limits/run-slots.js';
import type { Tree } from './limits/tree.js';
import type { Parent, ParentLog } from './parent.js';

/** One turn of a session: the same record from whoever asks for it to the engine that runs it. */
export interface Turn {
  /** The record it is run from, with the rights of this turn. */
  launch: LaunchRecord;
  /** 1 for the launch, one more for each time the session is given another instruction. */
  number: number;
  /** What the session is told. Already in the log. */
  instruction: string;
  /** What goes along with it, as it is shown to a model. In the log, too. */
  attached: readonly ContentBlock[];
  /** The plan with its secrets; the record holds it without. */
  plan: MountPlan;
  /** The right to write the session. Whoever runs the turn opened it and closes it. */
  log: SessionLog;
  tree: Tree;
  budget: Budget;
  /** Who waits for the outcome, where that runs here. */
  parent: Parent | null;
  cancellation: StopSwitch;
  /** Whoever watches from above: the parent's observers, or the entry point of a root. */
  observe: Observe | null;
  /** The slot it runs in; null for a root, which needs none. */
  slot: RunSlot | null;
  /** What the turn had consumed before, when another process began it. */
  carried: Usage;
  /** Questions a dead process of this turn was waiting on. */
  questions: readonly LeftQuestion[];
  /** What the parent should know beside the answer; goes into the outcome. */
  warnings: readonly string[];
  /** What whoever launched it knows of the models of its providers, so that it need not ask again. */
  models: ModelCatalog | null;
  /** Whose next write guarantees the outcome. Null: the outcome is waited for until it is on disk. */
  guarantor: ParentLog | null;
  /** The tree of its own that the turn works in, where it has one. */
  isolation?: Isolation;
}

export type Observe = (name: string, data: Readonly<JsonObject>) => void;

/** A turn that has been worked out and not begun: nothing of it is in the record. */
export interface PlannedTurn extends Pick<Turn, 'launch' | 'number' | 'instruction' | 'attached' | 'plan'> {
  /** What the agent lays over its parent's plan. */
  overlay: JsonObject;
}

type Needed =
  | 'launch'
  | 'number'
  | 'instruction'
  | 'plan'
  | 'log'
  | 'tree'
  | 'parent'
  | 'cancellation'
  | 'observe';
type Optional = 'attached' | 'slot' | 'carried' | 'questions' | 'warnings' | 'models' | 'guarantor';

export interface NewTurn extends Pick<Turn, Needed>, Partial<Pick<Turn, Optional>> {
  /** Where an entry point gave this turn limits of its own: those it and its children share, this turn alone. */
  limits?: TurnLimits | null;
}

export function newTurn({ limits, ...asked }: NewTurn): Turn {
  const { tree, parent, carried = NO_USAGE, models = null } = asked;
  const scope = limits ? tree.forTurn(limits, carried) : tree;
  return {
    attached: [],
    slot: null,
    questions: [],
    warnings: [],
    guarantor: null,
    ...asked,
    carried,
    tree: scope,
    budget: scope === tree ? budgetOf(asked) : scope.budget,
    models: parent ? modelsOf(asked, parent) : models,
  };
}

/** Does anybody look, all the way up? Asked before an event is made up for them. */
export function isWatched({ observe, parent }: Pick<Turn, 'observe' | 'parent'>): boolean {
  return observe !== null && (parent?.isWatched() ?? true);
}

function modelsOf({ plan, launch }: Pick<Turn, 'plan' | 'launch'>, parent: Parent): ModelCatalog {
  return inheritCatalog(parent.models(), parent.plan, plan, launch.model.chosen?.config);
}

/** A root has the budget of its tree. A child's own cap holds over all its turns. */
function budgetOf({ launch, log, tree, parent }: Pick<Turn, 'launch' | 'log' | 'tree' | 'parent'>): Budget {
  if (launch.depth === 0) return tree.budget;
  const budget = new Budget(capsOf(launch), parent?.budget ?? tree.budget);
  const { total_tokens, cost_usd } = log.metadata.usage;
  budget.restore({ tokens: total_tokens, cost_usd });
  return budget;
}
