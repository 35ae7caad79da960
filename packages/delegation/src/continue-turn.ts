import {
  addUsage,
  type CancellationToken,
  NO_USAGE,
  textOf,
  toolResultText,
  type Usage,
} from '@amplifier/core';
import {
  isSessionId,
  isTerminal,
  type NewMessage,
  type SessionLog,
  type SessionMetadata,
  type SessionStore,
  type SessionSummary,
  type TranscriptLine,
} from '@amplifier/sessions';
import type { BackgroundWork } from './background.js';
import type { Control } from './control.js';
import {
  type DelegateEvent,
  keepOnce,
  resumedEvent,
  spawnedEvent,
  terminalEvent,
} from './delegate-events.js';
import { delegateToolResult } from './delegate-result.js';
import { outcomeOf } from './engine/ending.js';
import type { LeftQuestion } from './engine/questions.js';
import { readStructuredAnswer, repairPrompt } from './engine/structured-answer.js';
import type { LaunchRecord } from './launch-record.js';
import type { Slot } from './limits/slots.js';
import { OUTCOME_VIEWS, type Outcome } from './outcome.js';
import type { Delegation } from './spawn-child.js';
import { loadLaunch, outcomeIn, recordOutcome, turnOf } from './stored-outcome.js';
import type { Place } from './turn-runner.js';
import { callOfTurn, turnStartIn, usageOfTurn } from './turn-start.js';

const DELEGATING_TOOLS = new Set(['delegate', 'task']);
const LOOK_BACK = 200;
const RECENT_EVENTS = 50;

/** Brings another session to its outcome. */
export interface Finisher {
  readonly store: SessionStore;
  readonly background: BackgroundWork | null;
  readonly control: Control;
  continue(
    session_id: string,
    options?: {
      launch?: LaunchRecord;
      slot?: Slot | undefined;
      cancellation?: CancellationToken | undefined;
    },
  ): Promise<{ outcome: Outcome; launch: LaunchRecord }>;
  placeFor(session: Pick<LaunchRecord, 'root_id'>): Promise<Place>;
}

/** How a turn goes on: it has ended already, or here is what to say next, already in the log. */
export type Continuation =
  | { outcome: Outcome }
  /** `carried`: what the turn had consumed before, the children that were finished here included. */
  | { outcome: null; prompt: string; carried: Usage; questions: LeftQuestion[] };

/**
 * Picks up a turn that a dead process left behind. Every tool call without a result gets one: a delegation takes the
 * outcome of its child, which is brought to its end first; any other tool is told as interrupted, for nobody knows what it
 * did.
 */
export async function continueTurn(delegator: Finisher, log: SessionLog, slot?: Slot): Promise<Continuation> {
  const { store } = delegator;
  const known = outcomeIn(log.metadata);
  if (known && known.status !== 'interrupted') {
    await settleStatus(log, known);
    return { outcome: known };
  }
  const lines = await withInstruction(await lastExchange(store, log.session_id), log);
  const calls = danglingCalls(lines);
  const children = calls.length > 0 ? await childrenByCall(store, log.session_id) : NO_CHILDREN;
  const answerAll = () =>
    Promise.all(calls.map((call) => answerTo(call, delegator, log.session_id, children)));
  // While it waits for its children it does not keep its place from them.
  const answers = await (slot && calls.length > 0 ? slot.whileWaiting(answerAll) : answerAll());
  if (answers.length > 0) {
    await keepOnce(
      answers.flatMap(({ events }) => events),
      log,
      store,
    );
    await log.appendMessages(answers.map(({ message }) => message));
  }
  const carried = await carriedUsage(delegator, log, answers);
  const last = answers.length > 0 ? null : lines.at(-1);
  if (last?.role === 'assistant' && !last.tool_calls?.length && textOf(last.content).trim() !== '') {
    return concluded(store, log, last, carried);
  }
  const questions = await leftQuestions(delegator, log.metadata);
  if (last?.role === 'user') return { outcome: null, prompt: textOf(last.content), carried, questions };
  const prompt =
    'Your process was interrupted and has been restarted. Everything above has happened. Go on where you left off.';
  return goOnWith(prompt, log, carried, questions);
}

/** What the session was waiting on when its process died, with the answers that have come since. */
async function leftQuestions(
  { control, store }: Finisher,
  { session_id, event_count }: SessionMetadata,
): Promise<LeftQuestion[]> {
  // Its birth and the beginning of its work are all that is there.
  if (event_count <= 2) return [];
  const open = await control.questions(session_id);
  if (open.length === 0) return [];
  const letters = await store.letters(session_id);
  return open.map((question) => {
    const letter = letters.find(({ kind, reply_to }) => kind === 'answer' && reply_to === question.id);
    return { question, answer: letter ? String(letter.body.text ?? '') : null };
  });
}

/** The end of a conversation, back to the last message that calls tools, however many results follow it. */
async function lastExchange(store: SessionStore, session_id: string): Promise<TranscriptLine[]> {
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
const NO_CHILDREN: Children = new Map();

/** A turn counts as begun before its instruction is written; one that was lost in between is written now. */
async function withInstruction(lines: TranscriptLine[], log: SessionLog): Promise<TranscriptLine[]> {
  const start = turnStartIn(log.metadata);
  if (!start || log.metadata.message_count > start.after) return lines;
  return [...lines, ...(await log.appendMessages([instructionMessage(start.prompt)]))];
}

export function instructionMessage(content: string): NewMessage {
  return { role: 'user', content, metadata: { kind: 'instruction' } };
}

/** In the first turn, all that the session and everything below it consumed; later, what is known to belong to the turn. */
async function carriedUsage(
  { control }: Finisher,
  log: SessionLog,
  answers: readonly Answer[],
): Promise<Usage> {
  const hasChildren = answers.length > 0 || log.metadata.agent_invocations > 0;
  if (hasChildren && !turnStartIn(log.metadata)) return control.subtreeUsage(log.session_id);
  return answers.reduce((sum, { usage }) => addUsage(sum, usage), usageOfTurn(log.metadata));
}

async function goOnWith(
  prompt: string,
  log: SessionLog,
  carried: Usage,
  questions: LeftQuestion[] = [],
): Promise<Continuation> {
  await log.appendMessages([
    { role: 'user', content: prompt, metadata: { source: 'runtime', kind: 'continuation' } },
  ]);
  return { outcome: null, prompt, carried, questions };
}

/** The last word was said and kept; only the outcome had not been written yet. An answer that lacks its form is asked for again. */
async function concluded(
  store: SessionStore,
  log: SessionLog,
  last: TranscriptLine,
  usage: Usage,
): Promise<Continuation> {
  const text = textOf(last.content);
  const launch = await loadLaunch(store, log.session_id);
  const schema = launch.output_schema;
  const reading = schema ? readStructuredAnswer(text, schema) : null;
  if (schema && reading && 'fault' in reading)
    return goOnWith(repairPrompt(reading.fault, schema), log, usage);
  const outcome = outcomeOf({
    launch,
    text,
    thrown: null,
    stopped: last.metadata?.reason === 'cancelled' ? { kind: 'cancel', by: 'user' } : null,
    loop_status: 'success',
    finish_reason: await lastFinishReason(store, log.metadata),
    turn_count: 1,
    usage,
    model_used: log.metadata.model,
    ...(reading && 'data' in reading ? { data: reading.data } : {}),
  });
  if (log.metadata.status === 'created') await log.transition('active');
  await recordOutcome(log, turnOf(log.metadata), outcome);
  return { outcome };
}

/** An answer that the model's limit or filter cut short is in the transcript like any other; the call's own record tells. */
async function lastFinishReason(
  store: SessionStore,
  { session_id, event_count }: Pick<SessionMetadata, 'session_id' | 'event_count'>,
): Promise<string | null> {
  const events = await store.events(session_id, { after: Math.max(0, event_count - RECENT_EVENTS) });
  const reason = events.findLast(({ name }) => name === 'llm:response')?.data.finish_reason;
  return typeof reason === 'string' ? reason : null;
}

/** The outcome was kept, and the process died before the status followed. */
async function settleStatus(log: SessionLog, outcome: Outcome): Promise<void> {
  const { session } = OUTCOME_VIEWS[outcome.status];
  if (log.metadata.status === 'active' && session !== 'active') await log.transition(session);
}

type Call = NonNullable<TranscriptLine['tool_calls']>[number];

/** The calls of the last assistant message that nobody answered, in call order. */
function danglingCalls(lines: readonly TranscriptLine[]): Call[] {
  const index = lines.findLastIndex(callsTools);
  if (index === -1) return [];
  const answered = new Set(lines.slice(index + 1).map((line) => line.tool_call_id));
  return (lines[index]?.tool_calls ?? []).filter(({ id }) => !answered.has(id));
}

interface Answer {
  message: NewMessage;
  events: DelegateEvent[];
  usage: Usage;
}

async function answerTo(
  call: Call,
  delegator: Finisher,
  session_id: string,
  children: Children,
): Promise<Answer> {
  const { id, tool } = call;
  const answer = (content: string, more: Partial<Answer> = {}): Answer => ({
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
  const finished = await finishCall(delegator, session_id, { id, session_id: named }, { launched });
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
  return answer(toolResultText(delegateToolResult(outcome, launch)), { events, usage: outcome.usage });
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
  }: {
    /** The child it launched, where that is known. */
    launched?: SessionSummary | undefined;
    /** What stops the child, where it is not the turn of its parent. */
    cancellation?: CancellationToken;
  } = {},
): Promise<{ delegation: Delegation; events: DelegateEvent[] } | null> {
  const child = launched?.session_id ?? (await childOfCall(call, delegator.store, parent_id));
  if (child === null) return null;
  const isEnded = launched !== undefined && isTerminal(launched.status);
  // However many there are, each is opened when it is its turn to work.
  const place = launched && !isEnded ? await delegator.placeFor(launched) : null;
  try {
    return await finishChild(delegator, parent_id, child, { isEnded, slot: place?.slot, cancellation });
  } finally {
    place?.leave();
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
  }: { isEnded: boolean; slot: Slot | undefined; cancellation: CancellationToken | undefined },
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
  const known = isEnded ? outcomeIn(metadata) : null;
  const outcome = known ?? (await delegator.continue(child, { launch, slot, cancellation })).outcome;
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
