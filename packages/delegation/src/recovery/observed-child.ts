import { isoTime, NO_USAGE, subSessionId, systemClock } from '@amplifier/core';
import { isTerminal, type SessionLog, type SessionStore } from '@amplifier/sessions';
import { outcomeOf, outcomeWithoutRun } from '../engine/ending.js';
import type { LaunchRecord } from '../plan/launch-record.js';
import { spawnedEvent, terminalEvent } from '../request/delegate-events.js';
import { DelegationError } from '../request/delegation-error.js';
import type { Outcome } from '../request/outcome.js';
import { createChild } from '../turn/create-child.js';
import type { Turn } from '../turn/turn.js';
import { isLong, keptOutcome, loadLaunch, recordOutcome } from './stored-outcome.js';

type ObservedEnd = 'completed' | 'failed' | 'cancelled';

/** A child that somebody else runs and that is only told of: a node of the tree with a log of its own. */
export interface ObservedChild {
  launch: LaunchRecord;
  log: SessionLog;
  /** Makes how it ended, and why it failed, a fact of its log and of its parent's. Closes the log. */
  finish(text: string, state: ObservedEnd, reason?: string): Promise<void>;
}

/** No engine of ours has this name: such a child can be neither resumed nor continued. */
const OBSERVED = 'observed';

/** Puts a child below a session that an engine of ours does not run itself. It has its parent's rights, and cannot be resumed. */
export async function observeChild(
  store: SessionStore,
  parent: Pick<Turn, 'launch' | 'log' | 'observe' | 'logs' | 'claim'>,
  { name, instruction }: { name: string; instruction: string },
): Promise<ObservedChild> {
  const { launch: above } = parent;
  const launch: LaunchRecord = {
    ...above,
    session_id: subSessionId(above, name),
    parent_id: above.session_id,
    depth: above.depth + 1,
    agent: { name, origin: above.engine, digest: null, instruction: null },
    engine: OBSERVED,
    instruction,
    tool_call_id: null,
    parallel_group_id: null,
    background: false,
    may_ask: false,
    output_schema: null,
    created_at: isoTime(systemClock),
  };
  const log = await createChild(parent.logs, {
    launch,
    instruction,
    attached: [],
    overlay: {},
  });
  parent.claim?.add(log);
  const tell = async ({ name: event, id, data }: ReturnType<typeof spawnedEvent>) => {
    await parent.log.appendEvents([{ name: event, id, data }]);
    parent.observe?.(event, data);
  };
  await log.transition('active');
  await tell(spawnedEvent(launch));
  return {
    launch,
    log,
    async finish(text, state, reason = 'The agent that runs it says that it failed.') {
      const outcome = ended(launch, text, { state, reason });
      if (isLong(outcome)) await log.flush();
      await recordOutcome(log, 1, await keptOutcome(store, outcome));
      await log.close();
      parent.claim?.delete(log);
      await tell(terminalEvent(launch, 1, outcome, above.session_id, {}));
    },
  };
}

/**
 * Ends the observed children below a session whose process died with whoever ran them. For an engine that begins a turn: nobody
 * else will ever tell how they ended.
 */
export async function endLeftObserved(
  store: SessionStore,
  { log, logs }: Pick<Turn, 'log' | 'logs'>,
): Promise<void> {
  for (const { session_id, status } of await store.children(log.session_id))
    if (!isTerminal(status)) await endLeft(store, session_id, { log, logs });
}

async function endLeft(
  store: SessionStore,
  session_id: string,
  { log: above, logs }: Pick<Turn, 'log' | 'logs'>,
): Promise<void> {
  const launch = await loadLaunch(store, session_id);
  if (launch.engine !== OBSERVED || (await store.owner(session_id)) !== null) return;
  await using log = await logs.open(session_id);
  await endLeftObserved(store, { log, logs });
  await log.repairToolCalls('The process that watched this sub-agent ended before this call had a result.');
  const message = `The process that watched the sub-agent '${launch.agent.name}' ended, so how it ended is not known.`;
  const thrown = new DelegationError(message, { code: 'INTERRUPTED', origin: session_id });
  const outcome = { ...outcomeWithoutRun(launch, { thrown }), resumable: false };
  await recordOutcome(log, 1, outcome);
  const { name, id, data } = terminalEvent(launch, 1, outcome, launch.parent_id, {});
  await above.appendEvents([{ name, id, data }]);
}

function ended(
  launch: LaunchRecord,
  text: string,
  { state, reason }: { state: ObservedEnd; reason: string },
): Outcome {
  const outcome = outcomeOf({
    launch,
    // What it said may have gone to its own parent alone.
    text: state === 'completed' && text === '' ? 'It ended without a word to us.' : text,
    thrown: state === 'failed' ? new Error(reason) : null,
    stopped: state === 'cancelled' ? { kind: 'cancel', by: 'agent' } : null,
    loop_status: null,
    finish_reason: null,
    turn_count: 1,
    usage: NO_USAGE,
    model_used: null,
  });
  return { ...outcome, resumable: false };
}
