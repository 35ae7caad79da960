import { isPlainObject } from '@amplifier/core';
import type { MailItem, SessionEvent } from '@amplifier/sessions';
import { z } from '@hono/zod-openapi';
import { APPROVAL_ANSWERED, APPROVAL_ASKED, APPROVAL_CLOSED } from './approval-events.js';

const time = z.string().openapi({ format: 'date-time', example: '2026-01-05T09:01:00.000Z' });

/** The tool call that an approval is about. */
export const askedCall = {
  tool_call_id: z.string().nullable().openapi({
    description: 'The call that waits for the answer; null for a question.',
    example: 'call_1',
  }),
  tool_name: z.string().nullable().openapi({
    description: 'Its tool; for an external agent, the kind of the call.',
    example: 'write_file',
  }),
  tool_input: z.record(z.string(), z.unknown()).nullable().openapi({
    description:
      'What the tool would be run with, if the transcript does not have it: a hook changed it, or an external agent asks. If null, it is in the transcript, under `tool_call_id`.',
  }),
};

export const ApprovalView = z
  .object({
    approval_id: z.string(),
    session_id: z.string().openapi({ description: 'The session that asks: this one or a descendant.' }),
    root_session_id: z.string(),
    kind: z.enum(['approval', 'question']),
    agent: z.string().nullable(),
    prompt: z.string().openapi({ example: "Agent 'scribe' wants to use write_file: notes.md" }),
    options: z.array(z.string()).openapi({ example: ['Allow once', 'Allow always', 'Deny'] }),
    ...askedCall,
    status: z.enum(['pending', 'answered', 'closed']),
    asked_at: time,
    expires_at: time.nullable().openapi({ description: 'When the timeout policy answers; null for never.' }),
    on_timeout: z.enum(['deny', 'allow', 'leave']),
    answer: z.string().nullable(),
    answered_at: time.nullable(),
    answered_by: z.string().nullable().openapi({ description: '`timeout` if the policy answered.' }),
    closed_because: z.string().nullable(),
  })
  .openapi('Approval');

export type Approval = z.infer<typeof ApprovalView>;

/** A question of a session, as its log tells it. */
export type ApprovalRecord = Omit<Approval, 'expires_at' | 'on_timeout'>;

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
    tool_name: typeof data.tool_name === 'string' ? data.tool_name : null,
    tool_input: isPlainObject(data.tool_input) ? data.tool_input : null,
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
