import { Message, MessageRole } from '@amplifier/core';
import type { SessionOutline, SessionSummary, SessionVersion, TranscriptLine } from '@amplifier/sessions';
import { z } from '@hono/zod-openapi';

export const SessionStatusSchema = z
  .enum(['created', 'active', 'completed', 'failed', 'terminated'])
  .openapi('SessionStatus');

const time = z.string().openapi({ format: 'date-time', example: '2026-01-05T09:01:00.000Z' });
const freeForm = z.record(z.string(), z.unknown());

const summaryMembers = {
  session_id: z.string().openapi({ example: 'session_01KA1B2C3D4E5F6G7H8J9K0M1N' }),
  parent_session_id: z.string().nullable(),
  root_session_id: z.string(),
  status: SessionStatusSchema,
  interrupted: z.boolean().openapi({ description: 'Its process died during a turn.' }),
  profile_id: z.string().nullable().openapi({ example: 'foundation/base' }),
  profile_name: z.string().nullable().openapi({ description: 'The same as `profile_id`.' }),
  name: z.string().nullable(),
  agent_name: z.string().nullable(),
  created_at: time,
  updated_at: time,
  ended_at: time.nullable(),
  message_count: z.int(),
  turn_count: z.int(),
  mount_plan_path: z.string().openapi({ description: 'Relative to the session folder.' }),
};

/** What listings show: served from the index, without opening a session. */
export const SessionEntry = z.object(summaryMembers).openapi('SessionIndexEntry');

export const SessionView = z
  .object({
    ...summaryMembers,
    started_at: time.nullable(),
    duration_ms: z.int().nullable().openapi({ description: 'From creation to end.' }),
    agent_invocations: z.int(),
    token_usage: z.int().nullable(),
    usage: freeForm,
    error_message: z.string().nullable(),
    error_details: freeForm.nullable(),
    depth: z.int(),
    model: z.string().nullable(),
    working_dir: z.string().nullable(),
    metadata: freeForm.openapi({ description: "The app's own." }),
    forked_from: freeForm.nullable(),
    allowed_transitions: z.array(z.string()),
    version: z.int().openapi({ description: 'Rises with every change; also the ETag.' }),
  })
  .openapi('SessionMetadata');
export type SessionView = z.infer<typeof SessionView>;

export const NewMessageSchema = z
  .object({
    role: MessageRole,
    content: Message.shape.content,
    agent: z.string().max(200).nullish(),
    token_count: z.int().nonnegative().nullish(),
    name: z.string().max(200).optional(),
    tool_call_id: z.string().max(200).optional(),
    tool_calls: Message.shape.tool_calls,
    metadata: freeForm.optional(),
  })
  .openapi('NewSessionMessage', { example: { role: 'user', content: 'Hello Claude' } });

export const MessageView = z
  .looseObject({
    id: z.string(),
    seq: z.int().openapi({ description: '1 for the first message; the cursor of a transcript.' }),
    turn: z.int(),
    timestamp: time,
    role: MessageRole,
    content: z.union([z.string(), z.array(freeForm)]),
    agent: z.string().nullable(),
    token_count: z.int().nullable(),
  })
  .openapi('SessionMessage');

export function entryOf(summary: SessionSummary | SessionOutline): z.infer<typeof SessionEntry> {
  return {
    session_id: summary.session_id,
    parent_session_id: summary.parent_id,
    root_session_id: summary.root_id,
    status: summary.status,
    interrupted: summary.interrupted,
    profile_id: summary.profile_name,
    profile_name: summary.profile_name,
    name: summary.name,
    agent_name: summary.agent_name,
    created_at: summary.created,
    updated_at: summary.updated,
    ended_at: summary.ended,
    message_count: summary.message_count,
    turn_count: summary.turn_count,
    mount_plan_path: 'mount_plan.json',
  };
}

/** Rises with every record of the session, so two equal versions are the same state. */
export function versionOf({ event_count, message_count }: SessionVersion): number {
  return event_count + message_count;
}

export function messageView(line: TranscriptLine): z.infer<typeof MessageView> {
  const { mailbox_cursor: _, agent = null, token_count = null, ...message } = line;
  return { ...message, agent, token_count } as z.infer<typeof MessageView>;
}
