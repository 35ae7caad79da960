import { textOf, toolResultText } from '@amplifier/core';
import type { NewMessage, SessionLog, SessionStore, TranscriptLine } from '@amplifier/sessions';
import { delegateToolResult } from './delegate-result.js';
import { outcomeOf } from './engine/ending.js';
import type { LaunchRecord } from './launch-record.js';
import { OUTCOME_VIEWS, type Outcome } from './outcome.js';
import { loadLaunch, outcomeIn, recordOutcome, turnOf } from './stored-outcome.js';

const DELEGATING_TOOLS = new Set(['delegate', 'task']);
const LOOK_BACK = 200;
const RECENT_EVENTS = 50;

/** Brings another session to its outcome. */
export interface Finisher {
  readonly store: SessionStore;
  continue(session_id: string): Promise<{ outcome: Outcome; launch: LaunchRecord }>;
}

/**
 * Picks up a turn that a dead process left behind. Every tool call without a result gets one: a delegation takes the
 * outcome of its child, which is brought to its end first; any other tool is told as interrupted, for nobody knows what it
 * did. Returns the outcome where there is one already, else the prompt to go on with, which is then the last line of the log.
 */
export async function continueTurn(
  delegator: Finisher,
  log: SessionLog,
): Promise<{ outcome: Outcome } | { outcome: null; prompt: string }> {
  const { store } = delegator;
  const known = outcomeIn(log.metadata);
  if (known && known.status !== 'interrupted') {
    await settleStatus(log, known);
    return { outcome: known };
  }
  const lines = await store.tail(log.session_id, LOOK_BACK);
  const dangling = danglingCalls(lines);
  const results = await Promise.all(dangling.map((call) => resultOf(call, delegator, log.session_id)));
  if (results.length > 0) await log.appendMessages(results);
  const last = results.length > 0 ? null : lines.at(-1);
  if (last?.role === 'user') return { outcome: null, prompt: textOf(last.content) };
  if (last?.role === 'assistant' && !last.tool_calls?.length && textOf(last.content).trim() !== '') {
    return { outcome: await concluded(store, log, last) };
  }
  const prompt =
    'Your process was interrupted and has been restarted. Everything above has happened. Go on where you left off.';
  await log.appendMessages([
    { role: 'user', content: prompt, metadata: { source: 'runtime', kind: 'continuation' } },
  ]);
  return { outcome: null, prompt };
}

/** The last word was said and kept; only the outcome had not been written yet. */
async function concluded(store: SessionStore, log: SessionLog, last: TranscriptLine): Promise<Outcome> {
  const launch = await loadLaunch(store, log.session_id);
  const { usage, model, event_count, status } = log.metadata;
  const events = await store.events(log.session_id, { after: Math.max(0, event_count - RECENT_EVENTS) });
  const call = events.findLast(({ name }) => name === 'llm:response');
  const outcome = outcomeOf({
    launch,
    text: textOf(last.content),
    thrown: null,
    stopped: last.metadata?.reason === 'cancelled' ? { kind: 'cancel', by: 'user' } : null,
    loop_status: 'success',
    finish_reason: typeof call?.data.finish_reason === 'string' ? call.data.finish_reason : null,
    turn_count: 1,
    usage,
    model_used: model,
  });
  if (status === 'created') await log.transition('active');
  await recordOutcome(log, turnOf(log.metadata), outcome);
  return outcome;
}

/** The outcome was kept, and the process died before the status followed. */
async function settleStatus(log: SessionLog, outcome: Outcome): Promise<void> {
  const { session } = OUTCOME_VIEWS[outcome.status];
  if (log.metadata.status === 'active' && session !== 'active') await log.transition(session);
}

interface Call {
  id: string;
  tool: string;
}

/** The calls of the last assistant message that nobody answered, in call order. */
function danglingCalls(lines: readonly TranscriptLine[]): Call[] {
  const index = lines.findLastIndex(
    (line) => line.role === 'assistant' && (line.tool_calls?.length ?? 0) > 0,
  );
  if (index === -1) return [];
  const answered = new Set(lines.slice(index + 1).map((line) => line.tool_call_id));
  return (lines[index]?.tool_calls ?? [])
    .filter(({ id }) => !answered.has(id))
    .map(({ id, tool }) => ({ id, tool }));
}

async function resultOf({ id, tool }: Call, delegator: Finisher, session_id: string): Promise<NewMessage> {
  const message = (content: string): NewMessage => ({
    role: 'tool',
    name: tool,
    tool_call_id: id,
    content,
    metadata: { recovered: true },
  });
  if (!DELEGATING_TOOLS.has(tool)) {
    return message(
      'The process was interrupted before this tool answered. It may or may not have taken effect: check before you call it again.',
    );
  }
  const child = await delegator.store.childOfCall(session_id, id);
  if (child === null)
    return message(
      'The process was interrupted before the agent was launched. Nothing ran: delegate again if it is still needed.',
    );
  const stored = await loadLaunch(delegator.store, child);
  if (stored.background)
    return message(JSON.stringify({ session_id: child, agent: stored.agent.name, status: 'running' }));
  const { outcome, launch } = await delegator.continue(child);
  return message(toolResultText(delegateToolResult(outcome, launch)));
}
