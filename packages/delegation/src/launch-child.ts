import { hasCode, type SessionLog } from '@amplifier/sessions';
import type { BackgroundWork } from './background.js';
import { summarize } from './context/summarize.js';
import type { DelegateConfig } from './delegate-config.js';
import { announceBeginning, spawnedEvent } from './delegate-events.js';
import type { Delegation, Ended } from './delegation.js';
import { DelegationError } from './delegation-error.js';
import { StopSwitch } from './engine/stop-switch.js';
import { handBack } from './hand-back.js';
import { admitChild } from './launch/admit-child.js';
import { createChild } from './launch/create-child.js';
import { planChild } from './launch/plan-child.js';
import type { LaunchRecord } from './launch-record.js';
import type { RunSlot } from './limits/run-slots.js';
import type { Parent } from './parent.js';
import type { DelegateRequest } from './request.js';
import { loadLaunch } from './stored-outcome.js';
import { newTurn, type PlannedTurn } from './turn.js';
import { closingOnError, relayTo, type TurnRunner } from './turn-runner.js';

/** What a child is launched with, beside the request. */
export interface Launching {
  runner: TurnRunner;
  /** Needed for a child that runs in the background. */
  background(): BackgroundWork;
  /** Brings the child of an earlier, cut-off call to its end. */
  continue(session_id: string): Promise<Ended>;
}

/** Plan, admit, create, run, hand back. */
export async function launchChild(
  launching: Launching,
  request: DelegateRequest,
  parent: Parent,
  config: DelegateConfig,
): Promise<Delegation> {
  const { runner } = launching;
  const summary = await summaryFor(launching, request, parent, config);
  const { planned, log, slot } = await planAndCreate(launching, request, parent, config, summary);
  const { launch } = planned;
  if (!log) return { kind: 'outcome', ...(await launching.continue(await childOfSameCall(runner, launch))) };
  try {
    await closingOnError(log, () => announceBeginning(spawnedEvent(launch), parent));
    if (launch.background) {
      await log.close();
      runner.live.addBackground(parent.session_id, launch.session_id);
      await launching.background().enqueue(launch, 1);
      return { kind: 'background', launch };
    }
    const turn = newTurn({
      ...planned,
      log,
      slot,
      tree: parent.tree,
      parent,
      guarantor: parent.log,
      cancellation: new StopSwitch(parent.cancellation),
      observe: relayTo(parent),
    });
    const outcome = await runner.runFor(parent, turn);
    await handBack(turn, outcome, launch);
    return { kind: 'outcome', outcome, launch };
  } finally {
    slot?.release();
  }
}

/**
 * Nothing has run when this resolves. No log: this very call has created its child before, in a process that died. Where a run slot is
 * free the child has it from the start, and its first commit says that it runs. So many are created at a time: a
 * thousand may wait here, and whatever they held on to would outlive their children until all memory is searched.
 */
async function planAndCreate(
  { runner, background }: Launching,
  request: DelegateRequest,
  parent: Parent,
  config: DelegateConfig,
  summary: string | undefined,
): Promise<{ planned: PlannedTurn; log: SessionLog | null; slot: RunSlot | null }> {
  const turn = runner.creating.tryAcquire() ?? (await runner.creating.acquire(parent.cancellation));
  try {
    const planned = await planChild(runner, request, parent, config, summary);
    runner.engineOf(planned.launch);
    if (planned.launch.background) background();
    admitChild(planned.launch.agent.name ?? '', parent, config);
    const slot = planned.launch.background ? null : parent.tree.slots.tryAcquire();
    const as = { parent_epoch: parent.log?.epoch, isActive: slot !== null };
    const log = await createChild(runner.store, planned, as).catch((error) => {
      slot?.release();
      parent.tree.withdrawChild();
      if (hasCode(error, 'SESSION_EXISTS') && planned.launch.tool_call_id !== null) return null;
      throw error;
    });
    return { planned, log: log && runner.claimed.hold(log), slot };
  } finally {
    turn.release();
  }
}

async function summaryFor(
  launching: Launching,
  request: DelegateRequest,
  parent: Parent,
  config: DelegateConfig,
): Promise<string | undefined> {
  if (request.context_depth !== 'summary' || !config.features.context_inheritance.enabled) return undefined;
  return summarize(parent, config, (wish, how) => launchChild(launching, wish, parent, how));
}

/** The child that this very call has created before. Another call under the same id gets nothing. */
async function childOfSameCall({ store }: TurnRunner, launch: LaunchRecord): Promise<string> {
  const { parent_id, tool_call_id } = launch;
  const child = await store.childOfCall(parent_id ?? '', tool_call_id ?? '');
  const known = child === null ? null : await loadLaunch(store, child);
  if (child !== null && known && isSameCall(known, launch)) return child;
  throw new DelegationError(
    `The tool call id '${tool_call_id}' was used before in this session, for another delegation. Call ids must not repeat.`,
    { code: 'CALL_ID_REUSED', origin: child ?? tool_call_id ?? '' },
  );
}

function isSameCall(a: LaunchRecord, b: LaunchRecord): boolean {
  return (
    a.agent.name === b.agent.name &&
    a.instruction === b.instruction &&
    a.parallel_group_id === b.parallel_group_id
  );
}
