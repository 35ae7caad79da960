import { isoTime, NO_USAGE, systemClock } from '@amplifier/core';
import { type SessionLog, type SessionStore, subSessionId } from '@amplifier/sessions';
import { spawnedEvent, terminalEvent } from './delegate-events.js';
import { outcomeOf } from './engine/ending.js';
import type { Turn } from './engine/engine.js';
import { createChild } from './launch/create-child.js';
import type { LaunchRecord } from './launch-record.js';
import type { Outcome } from './outcome.js';
import { recordOutcome } from './stored-outcome.js';

/** A child that somebody else runs and that is only told of: a node of the tree with a log of its own. */
export interface ObservedChild {
  launch: LaunchRecord;
  log: SessionLog;
  /** Makes how it ended a fact of its log and of its parent's. Closes the log. */
  finish(text: string, state: 'completed' | 'failed' | 'cancelled'): Promise<void>;
}

/** Puts a child below a session that an engine of ours does not run itself. It has its parent's rights, and cannot be resumed. */
export async function observeChild(
  store: SessionStore,
  parent: { launch: LaunchRecord; turn: Pick<Turn, 'log' | 'onEvent'> },
  { name, instruction }: { name: string; instruction: string },
): Promise<ObservedChild> {
  const { launch: above, turn } = parent;
  const launch: LaunchRecord = {
    ...above,
    session_id: subSessionId(above, name),
    parent_id: above.session_id,
    depth: above.depth + 1,
    agent: { name, origin: above.engine, digest: null, instruction: null },
    instruction,
    tool_call_id: null,
    parallel_group_id: null,
    background: false,
    may_ask: false,
    output_schema: null,
    created_at: isoTime(systemClock),
  };
  const log = await createChild(store, { record: launch, prompt: instruction, overlay: {} } as Parameters<
    typeof createChild
  >[1]);
  const tell = async ({ name: event, id, data }: ReturnType<typeof spawnedEvent>) => {
    await turn.log.appendEvents([{ name: event, id, data }]);
    turn.onEvent?.(event, data);
  };
  await log.transition('active');
  await tell(spawnedEvent(launch));
  return {
    launch,
    log,
    async finish(text, state) {
      const outcome = ended(launch, text, state);
      await recordOutcome(log, 1, outcome);
      await log.close();
      await tell(terminalEvent(launch, 1, outcome, above.session_id, {}));
    },
  };
}

function ended(launch: LaunchRecord, text: string, state: 'completed' | 'failed' | 'cancelled'): Outcome {
  const outcome = outcomeOf({
    launch,
    // What it said may have gone to its own parent alone.
    text: state === 'completed' && text === '' ? 'It ended without a word to us.' : text,
    thrown: state === 'failed' ? new Error('The agent that runs it says that it failed.') : null,
    stopped: state === 'cancelled' ? { kind: 'cancel', by: 'agent' } : null,
    loop_status: null,
    finish_reason: null,
    turn_count: 1,
    usage: NO_USAGE,
    model_used: null,
  });
  return { ...outcome, resumable: false };
}
