import { CancellationToken, HookRegistry, type JsonObject, type MountPlan } from '@amplifier/core';
import { type ModelCatalog, type ModelRoleResolver, modelCatalog } from '@amplifier/foundation';
import type { SessionStore } from '@amplifier/sessions';
import { toMessage } from './engine/load-history.js';
import type { LaunchRecord } from './launch-record.js';
import { Budget } from './limits/budget.js';
import type { Tree } from './limits/tree.js';
import type { Parent } from './parent.js';

export interface StoredParentOptions {
  cancellation?: CancellationToken;
  /** Sees every event of the children and of everything below them. */
  onEvent?: (name: string, data: Readonly<JsonObject>) => void;
  models?: ModelCatalog;
  roles?: ModelRoleResolver | null;
}

/** A session that does not run now, as the parent of a delegation that a door asks for on its behalf. */
export function storedParent(
  store: SessionStore,
  launch: LaunchRecord,
  plan: MountPlan,
  tree: Tree,
  options: StoredParentOptions,
): Parent {
  const hooks = new HookRegistry();
  if (options.onEvent) hooks.observe(options.onEvent);
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
    plan,
    instruction: launch.agent.instruction,
    grant: launch.grant,
    limits: launch.limits,
    safety_mode: launch.safety_mode,
    workspace: { cwd: launch.workspace.cwd, trusted: launch.workspace.trusted },
    tree,
    budget: launch.depth === 0 ? tree.budget : new Budget(launch.limits, tree.budget),
    slot: null,
    cancellation: options.cancellation ?? new CancellationToken(),
    hooks,
    log: null,
    models: options.models ?? modelCatalog(new Map()),
    roles: options.roles ?? null,
    history: async () => (await store.messages(launch.session_id)).map(toMessage),
    may_ask: false,
    addUsage: () => {},
    // Nobody runs here who could wait: the child's own outcome carries the question.
    askAndEnd: () => {},
  };
}
