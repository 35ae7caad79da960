import type { MailItem, SessionEvent } from '@amplifier/sessions';
import { APPROVAL_ANSWERED, APPROVAL_ASKED, APPROVAL_CLOSED } from '../runs/run-events.js';

/** A question of a session, as its log tells it. */
export interface ApprovalRecord {
  approval_id: string;
  session_id: string;
  root_session_id: string;
  kind: 'approval' | 'question';
  agent: string | null;
  prompt: string;
  options: string[];
  /** The call that waits; its input is in the transcript of the session. */
  tool_call_id: string | null;
  asked_at: string;
  status: 'pending' | 'answered' | 'closed';
  answer: string | null;
  answered_at: string | null;
  /** Null for a person. */
  answered_by: string | null;
  /** Why nobody waits for the answer any more. */
  closed_because: string | null;
}

/** Takes what has happened since into account. The records given are changed: only whoever keeps them may call this. */
export function foldApprovals(known: Map<string, ApprovalRecord>, events: readonly SessionEvent[]): void {
  for (const event of events) {
    const { name, data, time } = event;
    const id = String(data.id);
    if (name === APPROVAL_ASKED) known.set(id, asked(id, event));
    const record = known.get(id);
    if (record?.status !== 'pending') continue;
    if (name === APPROVAL_ANSWERED)
      Object.assign(record, { status: 'answered', answer: String(data.answer ?? ''), answered_at: time });
    if (name === APPROVAL_CLOSED)
      Object.assign(record, { status: 'closed', closed_because: String(data.why ?? '') });
  }
}

function asked(approval_id: string, { data, time, session_id, root_id }: SessionEvent): ApprovalRecord {
  return {
    approval_id,
    session_id,
    root_session_id: root_id,
    kind: data.kind === 'question' ? 'question' : 'approval',
    agent: typeof data.agent === 'string' ? data.agent : null,
    prompt: String(data.prompt ?? ''),
    options: Array.isArray(data.options) ? data.options.map(String) : [],
    tool_call_id: typeof data.tool_call_id === 'string' ? data.tool_call_id : null,
    asked_at: time,
    status: 'pending',
    answer: null,
    answered_at: null,
    answered_by: null,
    closed_because: null,
  };
}

/** An answer counts from the moment it is sent, whether or not the session has acted on it yet. */
export function withAnswers(
  records: readonly ApprovalRecord[],
  items: readonly MailItem[],
): ApprovalRecord[] {
  const answers = new Map(
    items.flatMap((item) => (item.kind === 'answer' ? [[item.reply_to, item] as const] : [])),
  );
  return records.map((record) => {
    const item = answers.get(record.approval_id);
    if (!item) return record;
    const answered = {
      answer: String(item.body.text ?? ''),
      answered_at: item.time,
      answered_by: item.from,
    };
    return { ...record, status: 'answered', ...answered };
  });
}
