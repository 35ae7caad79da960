import type { CancellationToken, HookRegistry, Message, MountPlan, Usage } from '@amplifier/core';
import type { ModelCatalog, ModelRoleResolver } from '@amplifier/foundation';
import type { NewEvent, SessionLog } from '@amplifier/sessions';
import type { Grant, SafetyMode } from '@amplifier/workspace';
import type { HeldClaim } from '../background/held-claim.js';
import type { Budget } from '../metering/budget.js';
import type { Limits } from '../metering/limits.js';
import type { RunSlot } from '../metering/run-slots.js';
import type { Tree } from '../metering/tree.js';
import type { LaunchRecord } from '../plan/launch-record.js';

/** Where a running session keeps facts about its children. */
export interface ParentLog extends Pick<SessionLog, 'appendEvents'> {
  /** The epoch of the right by which it writes. Once another process has the right, no child is created. */
  readonly epoch?: number;
  /** A fact could not be kept because the session runs in another process. */
  readonly hasMissed?: boolean;
  /** A fact that nothing waits for. It comes in the record before whatever any session of this process writes next. */
  append(event: NewEvent): void;
  /** Facts that the next message of the session guarantees. Resolves when that message may be written. */
  keep(events: readonly NewEvent[]): Promise<unknown>;
}

/** A running session whose next message guarantees what was written before it. */
export interface Guarantor {
  /** The session fails if `written` does. */
  guarantee(written: Promise<unknown>): void;
}

/** A session that can delegate: all a launch needs to know of it. The engine makes one for each session it runs. */
export interface Parent {
  session_id: string;
  parent_id: string | null;
  /** Does its own parent wait for it, or go on meanwhile? */
  background: boolean;
  root_id: string;
  trace_id: string;
  depth: number;
  agent_name: string | null;
  /** Does a model speak for it, or somebody outside on its behalf? What a model writes is never taken for a person's words. */
  is_model: boolean;
  /** May it put a question to whoever delegated to it? */
  may_ask: boolean;
  /** Which agents it may delegate to: all, or only those of its plan's roster. */
  agent_access: 'all' | 'roster';
  /** How often in a row sessions up to this one were made by delegating to themselves. */
  self_depth: number;
  /** The live plan: agents and tools added while running are seen. */
  plan: MountPlan;
  /** The system prompt, for a child that is to be this session's twin. */
  instruction: string | null;
  grant: Grant;
  limits: Limits;
  safety_mode: SafetyMode;
  workspace: Pick<LaunchRecord['workspace'], 'cwd' | 'folder' | 'trusted' | 'trust_declared' | 'acting'>;
  tree: Tree;
  budget: Budget;
  /** The run slot the session holds while it works; null for one that holds none. */
  slot: RunSlot | null;
  cancellation: CancellationToken;
  /** The claim under which it runs, and its children with it. */
  claim: HeldClaim | null;
  /** Ends the turn with a question to whoever waits for it. */
  askAndEnd(question: string): void;
  /** Where the child's events go, too. Null when nobody listens. */
  hooks: HookRegistry | null;
  /** Does anybody look at the events of its children? Asked before an event is made up for them. */
  isWatched(): boolean;
  /** The parent's own log, for facts about its children. */
  log: ParentLog | null;
  /** Guarantees the outcomes of its children. Null: an outcome is on disk before it is handed back. */
  guarantor: Guarantor | null;
  models(): ModelCatalog;
  roles(): ModelRoleResolver | null;
  history(): Promise<Message[]>;
  /** Books what a child consumed, for the parent's own outcome. */
  addUsage(usage: Usage): void;
}

/** What a session is to its children by its launch record alone, whether it runs or not. */
export function parentOf(launch: LaunchRecord) {
  return {
    session_id: launch.session_id,
    parent_id: launch.parent_id,
    background: launch.background,
    root_id: launch.root_id,
    trace_id: launch.trace_id,
    depth: launch.depth,
    agent_name: launch.agent.name,
    agent_access: launch.agent_access,
    self_depth: launch.self_depth,
    instruction: launch.agent.instruction,
    grant: launch.grant,
    limits: launch.limits,
    safety_mode: launch.safety_mode,
    workspace: launch.workspace,
  } satisfies Partial<Parent>;
}
