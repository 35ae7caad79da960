import { hasCode, type SessionLog } from '@amplifier/sessions';
import type { BackgroundWork } from './background.js';
import type { DelegateConfig } from './delegate-config.js';
import { announceBeginning, spawnedEvent } from './delegate-events.js';
import { DelegationError } from './delegation-error.js';
import { StopSwitch } from './engine/stop-switch.js';
import { handBack } from './hand-back.js';
import { admitChild } from './launch/admit-child.js';
import { buildLaunchRecord, type PlannedLaunch } from './launch/build-launch-record.js';
import { createChild } from './launch/create-child.js';
import { resolveAgent } from './launch/resolve-agent.js';
import type { LaunchRecord } from './launch-record.js';
import type { Slot } from './limits/slots.js';
import type { Outcome } from './outcome.js';
import type { Parent } from './parent.js';
import type { DelegateRequest } from './request.js';
import { loadLaunch } from './stored-outcome.js';
import { closingOnError, relayTo, type TurnRunner, waitingFor } from './turn-runner.js';

/** What a delegation came to: an outcome, or the word that it goes on in the background. */
export type Delegation =
  | { kind: 'outcome'; outcome: Outcome; launch: LaunchRecord }
  | { kind: 'background'; launch: LaunchRecord };

/** Works out the launch a request leads to. Changes nothing. */
export async function planChild(
  runner: TurnRunner,
  request: DelegateRequest,
  parent: Parent,
  config: DelegateConfig,
): Promise<PlannedLaunch> {
  if (request.agent === undefined || request.agent === '') {
    const message = 'Name an agent to delegate to, or a session_id to resume.';
    throw new DelegationError(message, { code: 'AGENT_REQUIRED' });
  }
  const selected = config.features.provider_selection.enabled ? request : withoutSelection(request);
  const agent = await resolveAgent(request.agent, parent, runner.agents);
  const { grant, workspace } = parent;
  const instruction = parent.is_model
    ? request.instruction
    : await runner.expand(request.instruction, { cwd: workspace.cwd, grant });
  return buildLaunchRecord({
    request: { ...selected, instruction },
    agent,
    parent,
    config,
    clock: runner.clock,
    files: await runner.contextFiles(parent.workspace.cwd),
  });
}

export interface Spawning {
  runner: TurnRunner;
  /** Needed for a child that runs in the background. */
  background: () => BackgroundWork;
  /** Brings the child of an earlier, cut-off call to its end. */
  finish: (session_id: string) => Promise<{ outcome: Outcome; launch: LaunchRecord }>;
}

/**
 * Carries a request out. What waits in line for a birth is kept small: a thousand may wait, and whatever they held on to would
 * outlive their children until all memory is searched.
 */
export async function spawnChild(
  spawning: Spawning,
  request: DelegateRequest,
  parent: Parent,
  config: DelegateConfig,
): Promise<Delegation> {
  const { births } = spawning.runner;
  const place = births.tryAcquire() ?? (await births.acquire(parent.cancellation));
  return raiseChild(spawning, request, parent, config, place);
}

/** Plan, admit, create, announce, run, hand back. The place is given back when the child is there. */
async function raiseChild(
  spawning: Spawning,
  request: DelegateRequest,
  parent: Parent,
  config: DelegateConfig,
  place: Slot,
): Promise<Delegation> {
  const { runner, finish } = spawning;
  const { planned, engine, queue, log } = await bear(spawning, request, parent, config).finally(() =>
    place.release(),
  );
  const { record } = planned;
  if (!log) return { kind: 'outcome', ...(await finish(await childOfSameCall(runner, record))) };
  await closingOnError(log, () => announceBeginning(spawnedEvent(record), parent));
  if (queue) {
    await log.close();
    await queue.enqueue(record, 1);
    return { kind: 'background', launch: record };
  }
  const stop = new StopSwitch(parent.cancellation);
  const outcome = await waitingFor(parent, () =>
    runner.run(engine, {
      launch: record,
      plan: planned.plan,
      isValidPlan: planned.isValidPlan,
      log,
      number: 1,
      prompt: planned.prompt,
      tree: parent.tree,
      parent,
      reliesOn: parent.log,
      stop,
      onEvent: relayTo(parent),
    }),
  );
  await handBack(record, 1, outcome, parent, record);
  return { kind: 'outcome', outcome, launch: record };
}

/** Brings the child into being. Nothing has run when this resolves. No log: this very call has made its child before. */
async function bear(
  { runner, background }: Spawning,
  request: DelegateRequest,
  parent: Parent,
  config: DelegateConfig,
) {
  const planned = await planChild(runner, request, parent, config);
  const { record } = planned;
  const engine = runner.engineOf(record);
  const queue = record.background ? background() : null;
  admitChild(record.agent.name ?? '', parent, config);
  return { planned, engine, queue, log: await create(runner, planned, parent) };
}

/** Null when this very call has made its child before, in a process that died. */
async function create(
  runner: TurnRunner,
  planned: PlannedLaunch,
  parent: Parent,
): Promise<SessionLog | null> {
  try {
    return await createChild(runner.store, planned);
  } catch (error) {
    parent.tree.withdrawChild();
    if (hasCode(error, 'SESSION_EXISTS') && planned.record.tool_call_id !== null) return null;
    throw error;
  }
}

/** The child that this very call has made before. Another call under the same id gets nothing. */
async function childOfSameCall({ store }: TurnRunner, record: LaunchRecord): Promise<string> {
  const { parent_id, tool_call_id } = record;
  const child = await store.childOfCall(parent_id ?? '', tool_call_id ?? '');
  const launch = child === null ? null : await loadLaunch(store, child);
  if (child !== null && launch && isSameCall(launch, record)) return child;
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

function withoutSelection(request: DelegateRequest): DelegateRequest {
  const { provider_preferences: _, model_role: __, ...rest } = request;
  return rest;
}
