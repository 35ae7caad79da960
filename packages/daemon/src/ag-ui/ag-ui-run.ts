import { type Outcome, outcomeText, wholeOutcome } from '@amplifier/delegation';
import { RUN_ENDED } from '@amplifier/host/runs';
import { messagePages, type SessionEvent, type SessionStore } from '@amplifier/sessions';
import { APPROVAL_ASKED } from '../approvals/approval-events.js';
import type { Approval } from '../approvals/fold-approvals.js';
import type { AgUiEvent } from './ag-ui-events.js';
import { TellMessages } from './tell-messages.js';

/** How far a run has been told. Kept while it waits for a person, so that who comes back with an answer misses nothing. */
export interface Progress {
  run_id: string;
  /** In the feed of all events. */
  cursor: string;
  /** The last message told, by session. */
  seqs: Map<string, number>;
  /** Children at work, with how each was said to begin, parents first. */
  children: Map<string, AgUiEvent>;
}

export interface AgUiRunOptions {
  store: SessionStore;
  session_id: string;
  root_id: string;
  progress: Progress;
  input: { threadId: string; runId: string };
  /** Those of the session and everything below it that wait for an answer. */
  pending(): Promise<Approval[]>;
  emit(event: AgUiEvent): void;
  signal: AbortSignal;
}

/** Tells a run as AG-UI events, to its end or until it waits for a person. True when it waits. */
export async function tellRun(options: AgUiRunOptions): Promise<boolean> {
  const { store, session_id, root_id, progress, input, emit, signal } = options;
  const { threadId, runId } = input;
  const messages = new TellMessages(session_id, emit);
  emit({ type: 'RUN_STARTED', threadId, runId });
  for (const begun of progress.children.values()) emit(begun);
  const hush = store.live.subscribe((item) => {
    if (isOurs(item.session_id, item.root_id)) messages.said(item);
  });
  function isOurs(id: string, root: string): boolean {
    return root === root_id && (session_id === root_id || id === session_id || progress.seqs.has(id));
  }
  const flush = async (id: string) => {
    const after = progress.seqs.get(id) ?? 0;
    for await (const lines of messagePages(store, id, { after }))
      for (const line of lines) {
        progress.seqs.set(id, line.seq);
        messages.stored(id, line);
      }
  };
  const finish = (ending: AgUiEvent) => {
    messages.close();
    emit(ending);
  };
  try {
    if (await interrupt()) return true;
    for await (const { cursor, event } of store.feed({ of: { root_id }, after: progress.cursor, signal })) {
      progress.cursor = cursor;
      if (!isOurs(event.session_id, event.root_id)) continue;
      await flush(event.session_id);
      const told = childEvent(event, session_id);
      if (told) {
        // What a child said is told before its end, and before its parent takes it up.
        const child = String(event.data.sub_session_id ?? event.data.session_id);
        if (told.type === 'SUBAGENT_STARTED') {
          progress.seqs.set(child, progress.seqs.get(child) ?? 0);
          progress.children.set(child, told);
          emit(told);
        } else {
          await flush(child);
          if (progress.children.delete(child)) emit(told);
        }
      }
      if (event.name === APPROVAL_ASKED && (await interrupt())) return true;
      if (event.name === RUN_ENDED && event.data.run_id === progress.run_id) {
        messages.close();
        for (const subagentRunId of [...progress.children.keys()].reverse())
          emit({ type: 'SUBAGENT_FINISHED', subagentRunId, outcome: { type: 'success' } });
        const kept = event.data.outcome as Outcome | null;
        finish(ended(event, kept && (await wholeOutcome(store, kept)), input));
        return false;
      }
    }
    return false;
  } finally {
    hush();
  }

  async function interrupt(): Promise<boolean> {
    const open = await options.pending();
    if (open.length === 0) return false;
    for (const { session_id: id } of open) await flush(id);
    const interrupts = open.map((approval) => interruptOf(approval, session_id));
    messages.close();
    // A run of the protocol ends with all its sub-agents: those at work are suspended, and begin again with the next.
    for (const subagentRunId of [...progress.children.keys()].reverse())
      emit({
        type: 'SUBAGENT_FINISHED',
        subagentRunId,
        outcome: {
          type: 'suspended',
          interruptIds: open
            .filter((each) => each.session_id === subagentRunId)
            .map((each) => each.approval_id),
        },
      });
    finish({ type: 'RUN_FINISHED', threadId, runId, outcome: { type: 'interrupt', interrupts } });
    return true;
  }
}

function interruptOf(approval: Approval, top: string) {
  const { approval_id, kind, prompt, options, session_id, expires_at } = approval;
  const { tool_call_id, tool_name, tool_input } = approval;
  return {
    id: approval_id,
    reason: kind === 'approval' ? 'approval_required' : 'input_required',
    message: prompt,
    ...(session_id === top ? {} : { subagentRunId: session_id }),
    ...(expires_at === null ? {} : { expiresAt: expires_at }),
    responseSchema:
      kind === 'approval'
        ? { type: 'object', properties: { approved: { type: 'boolean' }, answer: { enum: options } } }
        : { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] },
    metadata: { options, session_id, tool_call_id, tool_name, tool_input },
  };
}

/** What begins or ends a child; null for anything else. */
function childEvent({ name, data, session_id }: SessionEvent, top: string): AgUiEvent | null {
  const subagentRunId = String(data.sub_session_id ?? data.session_id);
  if (name === 'delegate:agent_spawned' || name === 'delegate:agent_resumed')
    return {
      type: 'SUBAGENT_STARTED',
      subagentRunId,
      name: String(data.agent ?? 'agent'),
      ...(session_id === top ? {} : { parentSubagentRunId: session_id }),
      ...(typeof data.tool_call_id === 'string'
        ? { parentToolCallId: `${session_id}/${data.tool_call_id}` }
        : {}),
    };
  if (name === 'delegate:agent_completed')
    return { type: 'SUBAGENT_FINISHED', subagentRunId, outcome: { type: 'success' } };
  if (name === 'delegate:error' || name === 'delegate:agent_cancelled')
    return { type: 'SUBAGENT_ERROR', subagentRunId, message: String(data.error ?? data.status ?? name) };
  return null;
}

function ended(
  { data }: SessionEvent,
  outcome: Outcome | null,
  { threadId, runId }: AgUiRunOptions['input'],
): AgUiEvent {
  if (data.status === 'completed')
    return {
      type: 'RUN_FINISHED',
      threadId,
      runId,
      result: outcome && outcomeText(outcome),
      outcome: { type: 'success' },
    };
  const error =
    (outcome && 'error' in outcome ? outcome.error : null) ??
    (data.error as { message: string; code: string } | null);
  return {
    type: 'RUN_ERROR',
    message: error?.message ?? `It ended as ${data.status}.`,
    code: error?.code ?? String(data.status),
  };
}
