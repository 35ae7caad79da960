import { type Clock, isoTime, newTraceId, rootSessionId, subSessionId, ulidSource } from '@amplifier/core';
import { engineOf } from '../engine/engine-of.js';
import { capsOf } from '../metering/limits.js';
import { Tree } from '../metering/tree.js';
import type { LaunchRecord } from '../plan/launch-record.js';
import { planRoot, type RootRequest } from '../plan/plan-root.js';
import { requireLaunchable } from '../project.js';
import { loadLaunch } from '../recovery/stored-outcome.js';
import { planForTurn } from '../request/instruction.js';
import type { Ended } from '../request/outcome.js';
import type { Runtime } from '../runtime.js';
import { createChild } from './create-child.js';
import { openLog } from './open-log.js';
import { openTurn, outsideCaller } from './open-turn.js';
import { runTurn } from './run-turn.js';
import type { PlannedLaunch } from './turn.js';

/** Starts a session without a parent and runs its first turn. */
export async function startRoot(runtime: Runtime, request: RootRequest): Promise<Ended> {
  const planned = await planCheckedRoot(runtime, request);
  const { launch } = planned;
  engineOf(runtime, launch);
  const isModelChosen = (request.provider_preferences?.length ?? 0) > 0;
  const { plan, warnings } = request.forTurn
    ? await planForTurn(planned.plan, { forTurn: request.forTurn, isModelChosen })
    : planned;
  // An id that the caller chose may be taken, and one that `onCreated` tells others must not be lost.
  const trailing = request.session_id === undefined && request.onCreated === undefined;
  const options = { bundle: request.bundle, isActive: true, trailing };
  await using log = await createChild(runtime.logs, planned, options);
  request.claim?.add(log);
  request.onCreated?.();
  const tree = runtime.live.addTree(new Tree(launch.root_id, capsOf(launch)));
  const caller = outsideCaller(tree, request);
  const { number, instruction, attached } = planned;
  const first = { launch, number, instruction, attached, plan, warnings, models: request.models };
  const turn = openTurn(runtime, first, log, caller);
  return { outcome: await runTurn(runtime, turn), launch };
}

/** Creates a session without a parent and runs nothing: it waits for its first instruction, or for children. */
export async function createRoot(
  runtime: Runtime,
  request: Omit<RootRequest, 'instruction'>,
): Promise<LaunchRecord> {
  const planned = await planCheckedRoot(runtime, { ...request, instruction: '' });
  await using _ = await createChild(runtime.logs, planned, { bundle: request.bundle });
  return planned.launch;
}

/** The launch that a root request leads to. Changes nothing. */
export async function planCheckedRoot(runtime: Runtime, request: RootRequest): Promise<PlannedLaunch> {
  const planned = await planRoot(runtime, request);
  await requireLaunchable(runtime.project, planned.launch);
  return planned;
}

/** What an entry point says about a session it created itself. */
export type AdoptRequest = Omit<
  RootRequest,
  'instruction' | 'session_id' | 'cancellation' | 'claim' | 'onEvent'
>;

/**
 * Gives a session that was made without a launch record the one it is run from. It keeps its id, its place in its tree and its
 * conversation, and waits for its first instruction. A session that has a record of its own keeps it.
 */
export async function adoptSession(
  runtime: Runtime,
  session_id: string,
  request: () => Promise<AdoptRequest>,
): Promise<LaunchRecord> {
  const { store } = runtime;
  const known = (await store.document(session_id, 'launch')) as LaunchRecord | null;
  if (known?.session_id === session_id) return known;
  const wanted = await request();
  const { launch: record } = await planRoot(runtime, { ...wanted, instruction: '', session_id });
  await using log = await openLog(runtime, session_id);
  const { parent_id, root_id, trace_id, depth } = log.metadata;
  const isRooted = root_id !== session_id && (await store.has(root_id));
  const adopted = { ...record, parent_id, root_id: isRooted ? root_id : session_id, trace_id, depth };
  // A copy of another session may bring along what that one was in the middle of.
  await log.update({ extra: { turn: 0, turn_start: null, outcome: null, outcome_turn: null } });
  await log.putDocument('launch', adopted);
  return adopted;
}

/** A session of its own that begins with the conversation of another, up to the end of a turn. The source is not changed. */
export async function forkSession(
  { store, logs, clock }: Runtime,
  session_id: string,
  turn: number | undefined,
): Promise<LaunchRecord> {
  const record = forkRecord(await loadLaunch(store, session_id), clock);
  const { parent_id, root_id, trace_id, depth, agent, workspace } = record;
  await using _ = await logs.fork(session_id, {
    turn,
    session: {
      session_id: record.session_id,
      parent_id,
      root_id,
      trace_id,
      depth,
      agent_name: agent.name,
      working_dir: workspace.cwd,
      extra: { turn: 0 },
    },
    contents: { documents: { launch: record } },
  });
  return record;
}

const nextUlid = ulidSource();

/**
 * The launch record of a session that begins with another's conversation: the same agent, plan, model and rights, beside the
 * one it was made from, under the same parent. A fork of a root is a root.
 */
function forkRecord(source: LaunchRecord, clock: Clock): LaunchRecord {
  const fresh = {
    tool_call_id: null,
    parallel_group_id: null,
    background: false,
    created_at: isoTime(clock),
  };
  if (source.parent_id === null) {
    const session_id = rootSessionId(nextUlid());
    return { ...source, ...fresh, session_id, root_id: session_id, trace_id: newTraceId() };
  }
  const { parent_id, trace_id, agent } = source;
  const session_id = subSessionId({ session_id: parent_id, trace_id }, agent.name ?? '');
  return { ...source, ...fresh, session_id };
}
