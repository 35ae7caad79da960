import { CancellationToken, HookRegistry, type JsonObject, type MountPlan } from '@amplifier/core';
import { type ModelCatalog, type ModelRoleResolver, modelCatalog } from '@amplifier/foundation';
import type { SessionStore } from '@amplifier/sessions';
import { toMessage } from './engine/load-history.js';
import type { LaunchRecord } from './launch-record.js';
import { Budget } from './limits/budget.js';
import type { Tree } from './limits/tree.js';
import { type Parent, parentOf } from './parent.js';

export interface StoredParentOptions {
  cancellation?: CancellationToken;
  /** Sees every event of the children and of everything below them. */
  onEvent?: (name: string, data: Readonly<JsonObject>) => void;
  /** Where facts about the children are kept. Without it they are in the children's own logs alone. */
  log?: Parent['log'];
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
    ...parentOf(launch),
    plan,
    tree,
    budget: launch.depth === 0 ? tree.budget : new Budget(launch.limits, tree.budget),
    slot: null,
    cancellation: options.cancellation ?? new CancellationToken(),
    hooks,
    log: options.log ?? null,
    models: options.models ?? modelCatalog(new Map()),
    roles: options.roles ?? null,
    history: async () => (await store.messages(launch.session_id)).map(toMessage),
    may_ask: false,
    addUsage: () => {},
    // Nobody runs here who could wait: the child's own outcome carries the question.
    askAndEnd: () => {},
  };
}
