import { CancellationToken, HookRegistry } from '@amplifier/core';
import { type ModelCatalog, type ModelRoleResolver, modelCatalog } from '@amplifier/foundation';
import { hasCode, type NewEvent, type SessionEvent, type SessionLog } from '@amplifier/sessions';
import { inheritedHistory } from '../engine/load-history.js';
import { Budget } from '../metering/budget.js';
import type { Tree } from '../metering/tree.js';
import type { LaunchRecord } from '../plan/launch-record.js';
import { planWithSecrets } from '../plan/restore-secrets.js';
import type { Runtime } from '../runtime.js';
import { type Parent, type ParentLog, parentOf } from './parent.js';
import type { Watching } from './turn.js';

export interface StoredParentOptions extends Watching {
  /** Where facts about the children are kept. Default: the session's own log, opened for each of them. */
  log?: Pick<SessionLog, 'appendEvents'> | undefined;
  models?: ModelCatalog | undefined;
  roles?: ModelRoleResolver | null | undefined;
}

type AppendEvents = SessionLog['appendEvents'];

/**
 * Keeps facts about the children of a session that does not run. The session is opened for each write, so that it can be resumed at any
 * time. A fact that it cannot take because it runs after all is missed.
 */
class StoredParentLog implements ParentLog {
  hasMissed = false;
  readonly #append: AppendEvents;
  #last: Promise<unknown> = Promise.resolve();

  constructor(runtime: Runtime, session_id: string, log?: { appendEvents: AppendEvents }) {
    this.#append = log
      ? (events) => log.appendEvents(events)
      : (events) => this.#appendBriefly(runtime, session_id, events);
  }

  /** Writes one after the other. */
  appendEvents(events: readonly NewEvent[]): Promise<SessionEvent[]> {
    const written = this.#last.then(() => this.#append(events));
    this.#last = written.catch(() => {});
    return written;
  }

  append(event: NewEvent): void {
    // The terminal event is waited for, and rejects if this one could not be written.
    this.appendEvents([event]).catch(() => {});
  }

  keep(events: readonly NewEvent[]): Promise<unknown> {
    return this.appendEvents(events);
  }

  async #appendBriefly({ logs }: Runtime, session_id: string, events: readonly NewEvent[]) {
    try {
      await using log = await logs.open(session_id);
      return await log.appendEvents(events);
    } catch (error) {
      if (!hasCode(error, 'SESSION_LOCKED')) throw error;
      this.hasMissed = true;
      return [];
    }
  }
}

/** A session that does not run now, as the parent of a delegation that somebody outside asks for on its behalf. */
export function storedParent(
  runtime: Runtime,
  launch: LaunchRecord,
  tree: Tree,
  options: StoredParentOptions,
): Parent {
  const hooks = new HookRegistry();
  if (options.onEvent) hooks.observe(options.onEvent);
  return {
    plan: planWithSecrets(runtime.project, launch, null),
    tree,
    budget: launch.depth === 0 ? tree.budget : new Budget(launch.limits, tree.budget),
    slot: null,
    cancellation: options.cancellation ?? new CancellationToken(),
    claim: options.claim ?? null,
    hooks,
    isWatched: () => hooks.observerCount > 0,
    log: new StoredParentLog(runtime, launch.session_id, options.log),
    guarantor: null,
    models: () => options.models ?? modelCatalog(new Map()),
    roles: () => options.roles ?? null,
    history: () => inheritedHistory(runtime.store, launch.session_id),
    may_ask: false,
    is_model: false,
    addUsage: () => {},
    // Nobody runs here who could wait: the child's own outcome carries the question.
    askAndEnd: () => {},
    ...parentOf(launch),
  };
}
