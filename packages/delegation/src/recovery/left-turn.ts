import { addUsage, type ContentBlock, textOf, toolCallsOf, type Usage } from '@amplifier/core';
import {
  isSessionId,
  type NewMessage,
  type SessionLog,
  type SessionMetadata,
  type SessionStore,
  type TranscriptLine,
} from '@amplifier/sessions';
import { outcomeOf } from '../engine/ending.js';
import type { LeftQuestion } from '../engine/questions.js';
import { readStructuredAnswer, repairPrompt } from '../engine/structured-answer.js';
import type { DelegateEvent } from '../request/delegate-events.js';
import { instructionMessage, readInstruction } from '../request/instruction.js';
import { OUTCOME_VIEWS, type Outcome } from '../request/outcome.js';
import type { Turn } from '../turn/turn.js';
import { type TurnStart, turnStartIn, usageOfTurn } from '../turn/turn-start.js';
import { openQuestions, subtreeUsage } from './control.js';
import { keptOutcome, loadLaunch, recordOutcome, turnOf } from './stored-outcome.js';

const RECENT_EVENTS = 50;
const LOOK_BACK = 200;

/** What a call that a dead process left was answered with. */
export interface LeftAnswer {
  message: NewMessage;
  events: DelegateEvent[];
  usage: Usage;
}

/** How a turn continues: it has ended already, or here is what to say next, already in the log. */
export type Continuation =
  | { outcome: Outcome }
  /** `carried`: what the turn had consumed before, the children that were finished here included. */
  | ({ outcome: null } & Pick<Turn, 'instruction' | 'attached' | 'carried' | 'questions'>);

/** What to say next when every call of the left turn has a result: `answers` says how many of them just got theirs. */
export async function nextOfLeftTurn(
  store: SessionStore,
  log: SessionLog,
  lines: readonly TranscriptLine[],
  answers: readonly LeftAnswer[],
): Promise<Continuation> {
  const carried = await carriedUsage(store, log, answers);
  const last = answers.length > 0 ? null : lines.at(-1);
  if (last?.role === 'assistant' && !last.tool_calls?.length && textOf(last.content).trim() !== '') {
    return concluded(store, log, last, carried);
  }
  const questions = await leftQuestions(store, log.metadata);
  if (last?.role === 'user') return { outcome: null, ...readInstruction(last.content), carried, questions };
  const instruction =
    'Your process was interrupted and has been restarted. Everything above has happened. Continue where you left off.';
  return continueWith(instruction, log, carried, questions);
}

/** The end of a conversation, back to the last message that calls tools, however many results follow it. */
async function lastExchange(store: SessionStore, session_id: string): Promise<TranscriptLine[]> {
  for (let count = LOOK_BACK; ; count *= 8) {
    const lines = await store.tail(session_id, count);
    if (lines.length < count || lines.some(callsTools)) return lines;
  }
}

export function callsTools(line: TranscriptLine): boolean {
  return toolCallsOf(line).length > 0;
}

/** What the session was waiting on when its process died, with the answers that have come since. */
async function leftQuestions(
  store: SessionStore,
  { session_id, event_count }: SessionMetadata,
): Promise<LeftQuestion[]> {
  // That it was created and began to work is all that is there.
  if (event_count <= 2) return [];
  const open = await openQuestions(store, session_id);
  if (open.length === 0) return [];
  const items = await store.mail(session_id);
  return open.map((question) => {
    const item = items.find(({ kind, reply_to }) => kind === 'answer' && reply_to === question.id);
    return { question, answer: item ? String(item.body.text ?? '') : null };
  });
}

/** The end of the conversation, with the instruction: a turn counts as begun before that is written, so it may be written only now. */
export async function leftLines(store: SessionStore, log: SessionLog): Promise<TranscriptLine[]> {
  const lines = await lastExchange(store, log.session_id);
  const start = turnStartIn(log.metadata);
  if (!start || log.metadata.message_count > start.after) return lines;
  return [...lines, ...(await log.appendMessages([instructionMessage(start.prompt, lostNote(start))]))];
}

/** What went along is in the message alone. */
function lostNote({ attached = 0 }: TurnStart): ContentBlock[] {
  if (attached === 0) return [];
  const text = `(${attached} attached files were lost when the process died. Ask for them again.)`;
  return [{ type: 'text', text }];
}

/** In the first turn, all that the session and everything below it consumed; later, what is known to belong to the turn. */
async function carriedUsage(
  store: SessionStore,
  log: SessionLog,
  answers: readonly LeftAnswer[],
): Promise<Usage> {
  const hasChildren = answers.length > 0 || log.metadata.agent_invocations > 0;
  if (hasChildren && !turnStartIn(log.metadata)) return subtreeUsage(store, log.session_id);
  return answers.reduce((sum, { usage }) => addUsage(sum, usage), usageOfTurn(log.metadata));
}

async function continueWith(
  instruction: string,
  log: SessionLog,
  carried: Usage,
  questions: LeftQuestion[] = [],
): Promise<Continuation> {
  await log.appendMessages([
    { role: 'user', content: instruction, metadata: { source: 'runtime', kind: 'continuation' } },
  ]);
  return { outcome: null, instruction, attached: [], carried, questions };
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
  const reading = schema ? await readStructuredAnswer(text, schema) : null;
  if (schema && reading && 'fault' in reading)
    return continueWith(repairPrompt(reading.fault, schema), log, usage);
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
    data: reading && 'data' in reading ? reading.data : undefined,
  });
  if (log.metadata.status === 'created') await log.transition('active');
  await recordOutcome(log, turnOf(log.metadata), await keptOutcome(store, outcome));
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

/** For an outcome that was stored by a process that died before the status followed. */
export async function settleStatus(log: SessionLog, outcome: Outcome): Promise<void> {
  const { session } = OUTCOME_VIEWS[outcome.status];
  if (log.metadata.status === 'active' && session !== 'active') await log.transition(session);
}

/** A call by which a session launched or resumed a child. */
export interface DelegatingCall {
  id: string;
  /** The session it was to resume; null when it was to launch one. */
  session_id: string | null;
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
