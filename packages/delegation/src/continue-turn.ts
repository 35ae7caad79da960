import { addUsage, type ContentBlock, textOf, type Usage } from '@amplifier/core';
import type { SessionLog, SessionMetadata, SessionStore, TranscriptLine } from '@amplifier/sessions';
import {
  answerLeftCalls,
  type Finisher,
  type LeftAnswer,
  type LeftTurnWatching,
  lastExchange,
} from './answer-left-calls.js';
import { outcomeOf } from './engine/ending.js';
import type { LeftQuestion } from './engine/questions.js';
import { readStructuredAnswer, repairPrompt } from './engine/structured-answer.js';
import { instructionMessage, readInstruction } from './instruction-message.js';
import { keptOutcome } from './long-answer.js';
import { OUTCOME_VIEWS, type Outcome } from './outcome.js';
import { loadLaunch, outcomeIn, readOutcome, recordOutcome, turnOf } from './stored-outcome.js';
import type { Turn } from './turn.js';
import { type TurnStart, turnStartIn, usageOfTurn } from './turn-start.js';

const RECENT_EVENTS = 50;

/** How a turn continues: it has ended already, or here is what to say next, already in the log. */
export type Continuation =
  | { outcome: Outcome }
  /** `carried`: what the turn had consumed before, the children that were finished here included. */
  | ({ outcome: null } & Pick<Turn, 'instruction' | 'attached' | 'carried' | 'questions'>);

/**
 * Picks up a turn that a dead process left behind. Every tool call without a result gets one: a delegation takes the
 * outcome of its child, which is brought to its end first; any other tool is told as interrupted, for nobody knows what it
 * did.
 */
export async function continueTurn(
  delegator: Finisher,
  log: SessionLog,
  watching: LeftTurnWatching,
): Promise<Continuation> {
  const { store } = delegator;
  const known = await readOutcome(store, log.metadata);
  if (known && known.status !== 'interrupted') {
    await settleStatus(log, known);
    return { outcome: known };
  }
  const lines = await withInstruction(await lastExchange(store, log.session_id), log);
  const answers = await answerLeftCalls(delegator, log, lines, watching);
  const carried = await carriedUsage(delegator, log, answers);
  const last = answers.length > 0 ? null : lines.at(-1);
  if (last?.role === 'assistant' && !last.tool_calls?.length && textOf(last.content).trim() !== '') {
    return concluded(store, log, last, carried);
  }
  const questions = await leftQuestions(delegator, log.metadata);
  if (last?.role === 'user') return { outcome: null, ...readInstruction(last.content), carried, questions };
  const instruction =
    'Your process was interrupted and has been restarted. Everything above has happened. Continue where you left off.';
  return continueWith(instruction, log, carried, questions);
}

/** What the session was waiting on when its process died, with the answers that have come since. */
async function leftQuestions(
  { control, store }: Finisher,
  { session_id, event_count }: SessionMetadata,
): Promise<LeftQuestion[]> {
  // That it was created and began to work is all that is there.
  if (event_count <= 2) return [];
  const open = await control.questions(session_id);
  if (open.length === 0) return [];
  const items = await store.mail(session_id);
  return open.map((question) => {
    const item = items.find(({ kind, reply_to }) => kind === 'answer' && reply_to === question.id);
    return { question, answer: item ? String(item.body.text ?? '') : null };
  });
}

/** A turn counts as begun before its instruction is written; one that was lost in between is written now. */
async function withInstruction(lines: TranscriptLine[], log: SessionLog): Promise<TranscriptLine[]> {
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
  { control }: Finisher,
  log: SessionLog,
  answers: readonly LeftAnswer[],
): Promise<Usage> {
  const hasChildren = answers.length > 0 || log.metadata.agent_invocations > 0;
  if (hasChildren && !turnStartIn(log.metadata)) return control.subtreeUsage(log.session_id);
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
    ...(reading && 'data' in reading ? { data: reading.data } : {}),
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

/** Brings to its end what the present turn of a session left when its process died, so that another turn can begin. */
export async function settleLeftTurn(
  delegator: Finisher,
  log: SessionLog,
  watching: LeftTurnWatching,
): Promise<void> {
  const known = outcomeIn(log.metadata);
  if (known && known.status !== 'interrupted') return;
  const lines = await withInstruction(await lastExchange(delegator.store, log.session_id), log);
  await answerLeftCalls(delegator, log, lines, watching);
}

/** The outcome was kept, and the process died before the status followed. */
async function settleStatus(log: SessionLog, outcome: Outcome): Promise<void> {
  const { session } = OUTCOME_VIEWS[outcome.status];
  if (log.metadata.status === 'active' && session !== 'active') await log.transition(session);
}
