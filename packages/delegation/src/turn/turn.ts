import type { CancellationToken, ContentBlock, JsonObject, MountPlan, Usage } from '@amplifier/core';
import type { ModelCatalog } from '@amplifier/foundation';
import type { SessionLog, SessionLogs } from '@amplifier/sessions';
import type { Isolation } from '@amplifier/workspace';
import type { HeldClaim } from '../background/held-claim.js';
import type { LeftQuestion } from '../engine/questions.js';
import type { Budget } from '../metering/budget.js';
import type { TurnLimits } from '../metering/limits.js';
import type { RunSlot } from '../metering/run-slots.js';
import type { Tree } from '../metering/tree.js';
import type { LaunchRecord } from '../plan/launch-record.js';
import type { Guarantor, Parent } from './parent.js';
import type { StopSwitch } from './stop-switch.js';

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
  /** Guarantees the outcome. Null: the outcome is waited for until it is on disk. */
  guarantor: Guarantor | null;
  /** The claim under which it runs; null where it needs none. */
  claim: HeldClaim | null;
  /** Gives out the right to write sessions that the engine creates below this one. */
  logs: SessionLogs;
  /** The tree of its own that the turn works in, where it has one. */
  isolation?: Isolation;
}

export type Observe = (name: string, data: Readonly<JsonObject>) => void;

/** An entry point may stop a turn and observe it. */
export interface Watching {
  cancellation?: CancellationToken | undefined;
  /** Sees every event of the session and of everything below it. */
  onEvent?: Observe | undefined;
  /** The claim under which the entry point asks for the turn. */
  claim?: HeldClaim | null | undefined;
}

/** A turn that is ready to begin. */
export interface PlannedTurn {
  launch: LaunchRecord;
  number: number;
  instruction: string;
  attached: readonly ContentBlock[];
  plan: MountPlan;
  warnings?: readonly string[] | undefined;
  models?: ModelCatalog | undefined;
  /** Limits that an entry point gave to this turn and what it delegates, and to no other turn. */
  limits?: TurnLimits | null;
  carried?: Usage;
  questions?: readonly LeftQuestion[];
}

/** A launch that has been worked out and not carried out: nothing of it is in the record. */
export interface PlannedLaunch extends PlannedTurn {
  /** What the agent lays over its parent's plan. */
  overlay: JsonObject;
}

/** True if this turn and every ancestor has observers. Asked before an event is built for them. */
export function isWatched({ observe, parent }: Pick<Turn, 'observe' | 'parent'>): boolean {
  return observe !== null && (parent?.isWatched() ?? true);
}
