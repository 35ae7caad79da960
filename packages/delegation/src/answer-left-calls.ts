import { type CancellationToken, NO_USAGE, toolResultText, type Usage } from '@amplifier/core';
import {
  isSessionId,
  isTerminal,
  type NewMessage,
  type SessionLog,
  type SessionStore,
  type SessionSummary,
  type TranscriptLine,
} from '@amplifier/sessions';
import type { BackgroundWork } from './background.js';
import type { Control } from './control.js';
import { delegateConfigOf } from './delegate-config.js';
import {
  type DelegateEvent,
  keepOnce,
  resumedEvent,
  spawnedEvent,
  terminalEvent,
} from './delegate-events.js';
import { delegateToolResult } from './delegate-result.js';
import type { Delegation, Ended } from './delegation.js';
import type { LaunchRecord } from './launch-record.js';
import type { RunSlot } from './limits/run-slots.js';
import { loadLaunch, readOutcome, turnOf } from './stored-outcome.js';
import type { Observe } from './turn.js';
import type { HeldSlot } from './turn-runner.js';
import { callOfTurn, turnStartIn } from './turn-start.js';

const DELEGATING_TOOLS = new Set(['delegate', 'task']);
const LOOK_BACK = 200;

/** Who stops and sees what is brought to its end on behalf of a turn that a dead process left. */
export interface LeftTurnWatching {
  /** The run slot that the turn has. While it waits for its children it does not keep it from them. */
  slot?: RunSlot | undefined;
  cancellation?: CancellationToken | undefined;
  onEvent?: Observe | undefined;
}

/** Brings another session to its outcome. */
export interface Finisher {
  readonly store: SessionStore;
  readonly background: BackgroundWork | null;
  readonly control: Control;
  continue(
    session_id: string,
    options?: {
      launch?: LaunchRecord;
      slot?: RunSlot | undefined;
      cancellation?: CancellationToken | undefined;
      onEvent?: Observe | undefined;
    },
  ): Promise<Ended>;
  holdSlot(session: Pick<LaunchRecord, 'root_id'>): Promise<HeldSlot>;
}

/**
 * Gives every tool call of the last exchange that has no result one, in the log: a delegation takes the outcome of its child, which
 * is brought to its end first; any other tool is told as interrupted, for nobody knows what it did.
 */
export async function answerLeftCalls(
  delegator: Finisher,
  log: SessionLog,
  lines: readonly TranscriptLine[],
  watching: LeftTurnWatching,
): Promise<LeftAnswer[]> {
  const calls = danglingCalls(lines);
  if (calls.length === 0) return [];
  const { store } = delegator;
  const children = await childrenByCall(store, log.session_id);
  const answerAll = () =>
    Promise.all(calls.map((call) => answerTo(call, delegator, log.session_id, children, watching)));
  const answers = await (watching.slot?.whileWaiting(answerAll) ?? answerAll());
  await keepOnce(
    answers.flatMap(({ events }) => events),
    log,
    store,
  );
  await log.appendMessages(answers.map(({ message }) => message));
  return answers;
}

/** The end of a conversation, back to the last message that calls tools, however many results follow it. */
export async function lastExchange(store: SessionStore, session_id: string): Promise<TranscriptLine[]> {
  for (let count = LOOK_BACK; ; count *= 8) {
    const lines = await store.tail(session_id, count);
    if (lines.length < count || lines.some(callsTools)) return lines;
  }
}

function callsTools({ role, tool_calls }: TranscriptLine): boolean {
  return role === 'assistant' && (tool_calls?.length ?? 0) > 0;
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

type Call = NonNullable<TranscriptLine['tool_calls']>[number];

/** The calls of the last assistant message that nobody answered, in call order. */
function danglingCalls(lines: readonly TranscriptLine[]): Call[] {
  const index = lines.findLastIndex(callsTools);
  if (index === -1) return [];
  const answered = new Set(lines.slice(index + 1).map((line) => line.tool_call_id));
  return (lines[index]?.tool_calls ?? []).filter(({ id }) => !answered.has(id));
}

/** What a call that a dead process left was answered with. */
export interface LeftAnswer {
  message: NewMessage;
  events: DelegateEvent[];
  usage: Usage;
}

async function answerTo(
  call: Call,
  delegator: Finisher,
  session_id: string,
  children: Children,
  watching: LeftTurnWatching,
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
  const named = typeof call.arguments?.session_id === 'string' ? call.arguments.session_id : null;
  const { cancellation, onEvent } = watching;
  const finished = await finishCall(
    delegator,
    session_id,
    { id, session_id: named },
    { launched, cancellation, onEvent },
  );
  if (finished === null)
    return answer(
      'The process was interrupted before the agent was launched. Nothing ran: delegate again if it is still needed.',
    );
  const { delegation, events } = finished;
  if (delegation.kind === 'background') {
    const { session_id: child, agent } = delegation.launch;
    return answer(JSON.stringify({ session_id: child, agent: agent.name, status: 'running' }), { events });
  }
  const { outcome, launch } = delegation;
  const own = (await delegator.store.document(session_id, 'launch')) as unknown as LaunchRecord | null;
  const config = delegateConfigOf(own?.plan ?? {}, `tool-${tool}`);
  const result = delegateToolResult(outcome, launch, config);
  return answer(toolResultText(result), { events, usage: outcome.usage });
}

/** A call by which a session launched or resumed a child. */
export interface DelegatingCall {
  id: string;
  /** The session it was to resume; null when it was to launch one. */
  session_id: string | null;
}

/**
 * Brings the child of a call that a dead process made to its end. Null when the call got to no child. The events say how the
 * child began and ended; those that the parent's log has already are to be left out (`keepOnce`).
 */
export async function finishCall(
  delegator: Finisher,
  parent_id: string,
  call: DelegatingCall,
  {
    launched,
    cancellation,
    onEvent,
  }: {
    /** The child it launched, where that is known. */
    launched?: SessionSummary | undefined;
    /** What stops the child, where it is not the turn of its parent. */
    cancellation?: CancellationToken | undefined;
    onEvent?: Observe | undefined;
  } = {},
): Promise<{ delegation: Delegation; events: DelegateEvent[] } | null> {
  const child = launched?.session_id ?? (await childOfCall(call, delegator.store, parent_id));
  if (child === null) return null;
  const isEnded = launched !== undefined && isTerminal(launched.status);
  // However many there are, each is opened when it is its turn to work.
  const held = launched && !isEnded ? await delegator.holdSlot(launched) : null;
  try {
    return await finishChild(delegator, parent_id, child, {
      isEnded,
      slot: held?.slot,
      cancellation,
      onEvent,
    });
  } finally {
    held?.release();
  }
}

async function finishChild(
  delegator: Finisher,
  parent_id: string,
  child: string,
  {
    isEnded,
    slot,
    cancellation,
    onEvent,
  }: {
    isEnded: boolean;
    slot: RunSlot | undefined;
    cancellation: CancellationToken | undefined;
    onEvent: Observe | undefined;
  },
): Promise<{ delegation: Delegation; events: DelegateEvent[] }> {
  const launch = await loadLaunch(delegator.store, child);
  const metadata = await delegator.store.metadata(child);
  const turn = turnOf(metadata);
  const made = callOfTurn(launch, metadata);
  const begun = turn === 1 ? spawnedEvent(launch) : resumedEvent(launch, turn, parent_id, made);
  if (made.background) {
    await delegator.background?.enqueue(launch, turn);
    return { delegation: { kind: 'background', launch }, events: [begun] };
  }
  const known = isEnded ? await readOutcome(delegator.store, metadata) : null;
  const outcome = known ?? (await delegator.continue(child, { launch, slot, cancellation, onEvent })).outcome;
  const ended = terminalEvent(launch, turn, outcome, parent_id, made);
  return { delegation: { kind: 'outcome', outcome, launch }, events: [begun, ended] };
}

/** The session that this call launched, or whose present turn it began. Null when it got to neither. */
export async function childOfCall(
  { id, session_id: named }: DelegatingCall,
  store: SessionStore,
  parent_id: string,
): Promise<string | null> {
  const launched = await store.childOfCall(parent_id, id);
  if (launched !== null) return launched;
  if (named === null || !isSessionId(named) || !(await store.has(named))) return null;
  const start = turnStartIn(await store.metadata(named));
  return start?.parent_id === parent_id && start.tool_call_id === id ? named : null;
}
