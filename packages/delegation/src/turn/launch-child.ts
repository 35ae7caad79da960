import { shorten } from '@amplifier/core';
import { hasCode, type SessionLog, type SessionStore } from '@amplifier/sessions';
import { checkGrant } from '@amplifier/workspace';
import { enqueueTurn, requireQueue } from '../background/background-queue.js';
import { SUMMARY_CHARACTERS } from '../defaults.js';
import { engineOf } from '../engine/engine-of.js';
import { lendSlot, type RunSlot } from '../metering/run-slots.js';
import { isMachineMade } from '../plan/in-scope.js';
import type { LaunchRecord } from '../plan/launch-record.js';
import { planChild } from '../plan/plan-child.js';
import { continueTurn } from '../recovery/continue-turn.js';
import { loadLaunch } from '../recovery/stored-outcome.js';
import type { DelegateConfig } from '../request/delegate-config.js';
import { announceBeginning, spawnedEvent } from '../request/delegate-events.js';
import { DelegationError } from '../request/delegation-error.js';
import { type Delegation, outcomeText } from '../request/outcome.js';
import { DelegateRequest } from '../request/request.js';
import type { Runtime } from '../runtime.js';
import { createChild } from './create-child.js';
import { handBack } from './hand-back.js';
import { callerOf, openTurn } from './open-turn.js';
import type { Parent } from './parent.js';
import { runTurn } from './run-turn.js';
import type { PlannedLaunch } from './turn.js';

/** Plan, admit, create, run, hand back. */
export async function launchChild(
  runtime: Runtime,
  request: DelegateRequest,
  parent: Parent,
  config: DelegateConfig,
): Promise<Delegation> {
  const isSummarized = request.context_depth === 'summary' && config.features.context_inheritance.enabled;
  const summary = isSummarized
    ? await summarize(parent, config, (wanted, how) => launchChild(runtime, wanted, parent, how))
    : undefined;
  const { planned, slot, ...created } = await planAndCreate(runtime, request, parent, config, summary);
  await using log = created.log;
  const { launch } = planned;
  if (!log) {
    const child = await childOfSameCall(runtime.store, launch);
    return { kind: 'outcome', ...(await continueTurn(runtime, child)) };
  }
  try {
    await announceBeginning(spawnedEvent(launch), parent);
    if (launch.background) {
      await log.close();
      parent.claim?.delete(log);
      runtime.live.addBackground(parent.session_id, launch.session_id);
      await enqueueTurn(runtime, launch, 1);
      return { kind: 'background', launch };
    }
    const turn = openTurn(runtime, planned, log, callerOf(parent, slot));
    const outcome = await lendSlot(parent.slot, () => runTurn(runtime, turn));
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
  runtime: Runtime,
  request: DelegateRequest,
  parent: Parent,
  config: DelegateConfig,
  summary: string | undefined,
): Promise<{ planned: PlannedLaunch; log: SessionLog | null; slot: RunSlot | null }> {
  const { logs, live } = runtime;
  const turn = live.creating.tryAcquire() ?? (await live.creating.acquire(parent.cancellation));
  try {
    const planned = await planChild(runtime, request, parent, config, summary);
    engineOf(runtime, planned.launch);
    if (planned.launch.background) requireQueue(runtime);
    admitChild(planned.launch.agent.name ?? '', parent, config);
    const slot = planned.launch.background ? null : parent.tree.slots.tryAcquire();
    const as = {
      parent_epoch: parent.log?.epoch,
      isActive: slot !== null,
      durability: planned.launch.background ? ('disk' as const) : ('process' as const),
    };
    const log = await createChild(logs, planned, as).catch((error) => {
      slot?.release();
      parent.tree.withdrawChild();
      if (hasCode(error, 'SESSION_EXISTS') && planned.launch.tool_call_id !== null) return null;
      throw error;
    });
    if (log) parent.claim?.add(log);
    return { planned, log, slot };
  } finally {
    turn.release();
  }
}

/** The child that this very call has created before. Another call under the same id gets nothing. */
async function childOfSameCall(store: SessionStore, launch: LaunchRecord): Promise<string> {
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

/** Handing a task to a session, new or old, takes the right to delegate. */
export function requireRightToDelegate(agent: string, { grant }: Parent): void {
  const { allowed, because } = checkGrant(grant, { kind: 'delegate', agent });
  if (!allowed) throw new DelegationError(because, { code: 'DELEGATION_DENIED' });
}

/** May this parent have one more child of this name? Refuses with the limit that stands in the way. Counts it in. */
function admitChild(agent: string, parent: Parent, { features }: DelegateConfig): void {
  requireRightToDelegate(agent, parent);
  const { enabled, max_depth } = features.self_delegation;
  if (agent === 'self' && parent.self_depth >= max_depth) {
    throw new DelegationError(
      `Self-delegation is limited to ${max_depth} levels. Delegate to a named agent, or do the work here.`,
      { code: 'SELF_DELEGATION_DEPTH_EXCEEDED' },
    );
  }
  if (agent === 'self' && !enabled) {
    throw new DelegationError('Self-delegation is disabled. Name an agent, or do the work here.', {
      code: 'SELF_DELEGATION_DISABLED',
    });
  }
  if (parent.depth >= parent.limits.max_depth) {
    throw new DelegationError(
      `Delegations are limited to ${parent.limits.max_depth} levels, and this session is at level ${parent.depth}. Do the work here.`,
      { code: 'LIMIT_REACHED' },
    );
  }
  if (!parent.tree.admitChild(parent.limits.max_children)) {
    throw new DelegationError(
      `This tree has had its ${Math.min(parent.limits.max_children, parent.tree.limits.max_children)} children. Resume one of them, or do the work here.`,
      { code: 'LIMIT_REACHED' },
    );
  }
}

/** By parent: of which of its turns, and what was made of it. */
const MADE = new WeakMap<Parent, { turn: number; text: Promise<string> }>();

/**
 * The parent's conversation in brief, written by a copy of it that has no tools. Made once for a turn, however many children ask;
 * it is a child like any other, so that it is in the record and in the budget.
 */
async function summarize(
  parent: Parent,
  config: DelegateConfig,
  spawn: (request: DelegateRequest, config: DelegateConfig) => Promise<Delegation>,
): Promise<string> {
  const history = await parent.history();
  const turn = history.filter((message) => message.role === 'user' && !isMachineMade(message)).length;
  const before = MADE.get(parent);
  if (before?.turn === turn) return before.text;
  const text = write(config, spawn);
  MADE.set(parent, { turn, text });
  // A failure is not kept: the next request tries again.
  text.catch(() => MADE.delete(parent));
  return text;
}

async function write(
  config: DelegateConfig,
  spawn: (request: DelegateRequest, config: DelegateConfig) => Promise<Delegation>,
): Promise<string> {
  const request = DelegateRequest.parse({
    agent: 'self',
    instruction: `Sum up this conversation for agents who are about to work on parts of it: what is wanted, what was decided and why, what was found, with files and lines, and what is open. At most ${SUMMARY_CHARACTERS} characters. Do nothing else.`,
    context_depth: 'all',
    context_scope: 'full',
    inherit_tools: [],
    max_result: SUMMARY_CHARACTERS,
    metadata: { purpose: 'context_summary' },
  });
  const made = await spawn(request, config);
  if (made.kind === 'outcome' && made.outcome.status === 'completed')
    return shorten(outcomeText(made.outcome), SUMMARY_CHARACTERS, '');
  const why = made.kind === 'outcome' ? outcomeText(made.outcome) : 'it runs in the background';
  throw new DelegationError(
    `The conversation could not be summarized: ${why} Delegate with context_depth 'recent' instead.`,
    { code: 'SUMMARY_FAILED' },
  );
}
