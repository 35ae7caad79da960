import { CancellationToken, HookRegistry, type JsonObject, type MountPlan } from '@amplifier/core';
import { type ModelCatalog, type ModelRoleResolver, modelCatalog } from '@amplifier/foundation';
import type { SessionLog, SessionStore } from '@amplifier/sessions';
import { toMessage } from './engine/load-history.js';
import type { LaunchRecord } from './launch-record.js';
import { Budget } from './limits/budget.js';
import type { Tree } from './limits/tree.js';
import { type Parent, type ParentLog, parentOf } from './parent.js';

export interface StoredParentOptions {
  cancellation?: CancellationToken;
  /** Sees every event of the children and of everything below them. */
  onEvent?: (name: string, data: Readonly<JsonObject>) => void;
  /** Where facts about the children are kept. Without it they are in the children's own logs alone. */
  log?: Pick<SessionLog, 'appendEvents'>;
  models?: ModelCatalog;
  roles?: ModelRoleResolver | null;
}

/** Every write to a log that nobody shares is waited for. */
function parentLog(log: Pick<SessionLog, 'appendEvents'>): ParentLog {
  return {
    appendEvents: (events) => log.appendEvents(events),
    // Whoever ends the child's turn waits for a later line of the same log, and learns there if this one could not be written.
    append: (event) => void log.appendEvents([event]).catch(() => {}),
    keep: (events) => log.appendEvents(events),
    guarantee: (written) => written,
  };
}

/** A session that does not run now, as the parent of a delegation that somebody outside asks for on its behalf. */
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
    plan,
    tree,
    budget: launch.depth === 0 ? tree.budget : new Budget(launch.limits, tree.budget),
    slot: null,
    cancellation: options.cancellation ?? new CancellationToken(),
    hooks,
    isWatched: () => hooks.observerCount > 0,
    log: options.log ? parentLog(options.log) : null,
    models: () => options.models ?? modelCatalog(new Map()),
    roles: () => options.roles ?? null,
    history: async () => (await store.messages(launch.session_id)).map(toMessage),
    may_ask: false,
    is_model: false,
    addUsage: () => {},
    // Nobody runs here who could wait: the child's own outcome carries the question.
    askAndEnd: () => {},
    ...parentOf(launch),
  };
}
