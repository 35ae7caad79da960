import { NO_USAGE, openToolCalls, type StoredToolCall, toolResultText } from '@amplifier/core';
import {
  isTerminal,
  type SessionLog,
  type SessionStore,
  type SessionSummary,
  type TranscriptLine,
} from '@amplifier/sessions';
import { enqueueTurn } from '../background/background-queue.js';
import { engineOf } from '../engine/engine-of.js';
import { lendSlot, type RunSlot } from '../metering/run-slots.js';
import { holdSlot, treeOf } from '../metering/tree-of.js';
import type { LaunchRecord } from '../plan/launch-record.js';
import { planWithSecrets } from '../plan/restore-secrets.js';
import { delegateConfigOf } from '../request/delegate-config.js';
import {
  type DelegateEvent,
  keepOnce,
  resumedEvent,
  spawnedEvent,
  terminalEvent,
} from '../request/delegate-events.js';
import { spawnResult, spawnToolResult } from '../request/delegate-result.js';
import type { Delegation, Ended } from '../request/outcome.js';
import type { Runtime } from '../runtime.js';
import { openLog } from '../turn/open-log.js';
import { openTurn, relayTo } from '../turn/open-turn.js';
import { runTurn } from '../turn/run-turn.js';
import type { Watching } from '../turn/turn.js';
import { callOfTurn, launchOfTurn, limitsOfTurn } from '../turn/turn-start.js';
import { isCutOff } from './cut-off.js';
import {
  type Continuation,
  callsTools,
  childOfCall,
  type DelegatingCall,
  type LeftAnswer,
  leftLines,
  nextOfLeftTurn,
  settleStatus,
} from './left-turn.js';
import { loadLaunch, outcomeIn, readOutcome, turnOf } from './stored-outcome.js';

const DELEGATING_TOOLS = new Set(['delegate', 'task']);

export interface ContinueOptions extends Watching {
  /** The token of the claim under which the turn is taken over. */
  lease?: number | undefined;
  /** Called when the session is open. Must throw if the turn is no longer the caller's to continue. */
  check?: (() => Promise<unknown>) | undefined;
  /** Its record, where it has been read already. */
  launch?: LaunchRecord | undefined;
  /** A run slot that is held for it already. The caller releases it. */
  slot?: RunSlot | undefined;
}

/** What stops and observes the children of a left turn, and the run slot that is lent to them. */
type OnBehalf = Watching & Pick<ContinueOptions, 'slot'>;

/**
 * Finishes a turn that a dead process left: takes the outcomes of finished children, finishes the others, and lets the session
 * continue. A turn that has an outcome is not run again.
 */
export async function continueTurn(
  runtime: Runtime,
  session_id: string,
  options: ContinueOptions = {},
): Promise<Ended> {
  const { store, live, project } = runtime;
  const launch = options.launch ?? (await loadLaunch(store, session_id));
  engineOf(runtime, launch);
  await using log = await openLog(runtime, session_id, options);
  if (runtime.queue) runtime.wakeWorker();
  await options.check?.();
  const next = await takeUp(runtime, log, options);
  if (next.outcome) return { outcome: next.outcome, launch };
  const { parent_id, background } = callOfTurn(launch, log.metadata);
  const parent = live.parent(parent_id);
  // A child in the background is not stopped by what ends a turn of its parent.
  const above = background ? undefined : parent?.cancellation;
  const planned = {
    ...next,
    launch: launchOfTurn(launch, log.metadata),
    plan: planWithSecrets(project, launch, parent),
    number: turnOf(log.metadata),
    limits: limitsOfTurn(launch, log.metadata),
  };
  const turn = openTurn(runtime, planned, log, {
    parent,
    tree: await treeOf(runtime, launch),
    claim: options.claim ?? null,
    slot: options.slot ?? null,
    cancellation: options.cancellation ?? above,
    observe: options.onEvent ?? relayTo(parent),
    guarantor: null,
  });
  return { outcome: await runTurn(runtime, turn), launch };
}

/** Gives every open tool call of the left turn a result. Returns the outcome where the turn has ended, or what to say next. */
async function takeUp(runtime: Runtime, log: SessionLog, onBehalf: OnBehalf): Promise<Continuation> {
  const { store } = runtime;
  const known = await readOutcome(store, log.metadata);
  if (known && known.status !== 'interrupted') {
    await settleStatus(log, known);
    return { outcome: known };
  }
  const lines = await leftLines(store, log);
  return nextOfLeftTurn(store, log, lines, await answerLeftCalls(runtime, log, lines, onBehalf));
}

/** Answers the open tool calls of a turn that a dead process left, so that another turn can begin. */
export async function settleLeftTurn(
  runtime: Runtime,
  launch: LaunchRecord,
  onBehalf: OnBehalf,
): Promise<void> {
  const { store } = runtime;
  const { session_id } = launch;
  if (!(await isCutOff(runtime, launch, await store.metadata(session_id)))) return;
  await using log = await openLog(runtime, session_id, onBehalf);
  const known = outcomeIn(log.metadata);
  if (known && known.status !== 'interrupted') return;
  await answerLeftCalls(runtime, log, await leftLines(store, log), onBehalf);
}

/**
 * Gives every tool call of the last exchange that has no result one, in the log: a delegation takes the outcome of its child, which
 * is brought to its end first; any other tool is told as interrupted, for nobody knows what it did.
 */
async function answerLeftCalls(
  runtime: Runtime,
  log: SessionLog,
  lines: readonly TranscriptLine[],
  onBehalf: OnBehalf,
): Promise<LeftAnswer[]> {
  const calls = openToolCalls(lines.slice(lines.findLastIndex(callsTools)));
  if (calls.length === 0) return [];
  const { store } = runtime;
  const children = await childrenByCall(store, log.session_id);
  const answerAll = () =>
    Promise.all(calls.map((call) => answerTo(call, runtime, log.session_id, children, onBehalf)));
  const answers = await lendSlot(onBehalf.slot, answerAll);
  await keepOnce(
    answers.flatMap(({ events }) => events),
    log,
    store,
  );
  await log.appendMessages(answers.map(({ message }) => message));
  return answers;
}

/** The children that calls of a session launched, all found at once. */
async function childrenByCall(store: SessionStore, session_id: string): Promise<Children> {
  const found = new Map<string, SessionSummary>();
  for (const child of await store.children(session_id)) {
    if (child.tool_call_id !== null) found.set(child.tool_call_id, child);
  }
  return found;
}

type Children = ReadonlyMap<string, SessionSummary>;

async function answerTo(
  call: StoredToolCall,
  runtime: Runtime,
  session_id: string,
  children: Children,
  { slot: _, ...watching }: OnBehalf,
): Promise<LeftAnswer> {
  const { id, tool } = call;
  const answer = (content: string, more: Partial<LeftAnswer> = {}): LeftAnswer => ({
    message: { role: 'tool', name: tool, tool_call_id: id, content, metadata: { recovered: true } },
    events: [],
    usage: NO_USAGE,
    ...more,
  });
  if (!DELEGATING_TOOLS.has(tool)) {
    return answer(
      'The process was interrupted before this tool answered. It may or may not have taken effect: check before you call it again.',
    );
  }
  const launched = children.get(id);
  const named = typeof call.arguments.session_id === 'string' ? call.arguments.session_id : null;
  const finished = await finishCall(
    runtime,
    session_id,
    { id, session_id: named },
    { ...watching, launched },
  );
  if (finished === null)
    return answer(
      'The process was interrupted before the agent was launched. Nothing ran: delegate again if it is still needed.',
    );
  const { delegation, events } = finished;
  const own = (await runtime.store.document(session_id, 'launch')) as unknown as LaunchRecord | null;
  const config = delegateConfigOf(own?.plan ?? {}, `tool-${tool}`);
  const result = spawnToolResult(spawnResult(delegation, config));
  const usage = delegation.kind === 'outcome' ? delegation.outcome.usage : NO_USAGE;
  return answer(toolResultText(result), { events, usage });
}

/**
 * Brings the child of a call that a dead process made to its end. Null when the call got to no child. The events say how the
 * child began and ended; those that the parent's log has already are to be left out (`keepOnce`).
 */
export async function finishCall(
  runtime: Runtime,
  parent_id: string,
  call: DelegatingCall,
  {
    launched,
    ...watching
  }: Watching & {
    /** The child it launched, where that is known. */
    launched?: SessionSummary | undefined;
  } = {},
): Promise<{ delegation: Delegation; events: DelegateEvent[] } | null> {
  const child = launched?.session_id ?? (await childOfCall(call, runtime.store, parent_id));
  if (child === null) return null;
  const isEnded = launched !== undefined && isTerminal(launched.status);
  // However many there are, each is opened when it is its turn to work.
  const held = launched && !isEnded ? await holdSlot(runtime, launched) : null;
  try {
    return await finishChild(runtime, parent_id, child, { ...watching, isEnded, slot: held?.slot });
  } finally {
    held?.release();
  }
}

async function finishChild(
  runtime: Runtime,
  parent_id: string,
  child: string,
  { isEnded, ...options }: OnBehalf & { isEnded: boolean },
): Promise<{ delegation: Delegation; events: DelegateEvent[] }> {
  const { store } = runtime;
  const launch = await loadLaunch(store, child);
  const metadata = await store.metadata(child);
  const turn = turnOf(metadata);
  const made = callOfTurn(launch, metadata);
  const begun = turn === 1 ? spawnedEvent(launch) : resumedEvent(launch, turn, parent_id, made);
  if (made.background) {
    if (runtime.queue) await enqueueTurn(runtime, launch, turn);
    return { delegation: { kind: 'background', launch }, events: [begun] };
  }
  const known = isEnded ? await readOutcome(store, metadata) : null;
  const outcome = known ?? (await continueTurn(runtime, child, { ...options, launch })).outcome;
  const ended = terminalEvent(launch, turn, outcome, parent_id, made);
  return { delegation: { kind: 'outcome', outcome, launch }, events: [begun, ended] };
}
