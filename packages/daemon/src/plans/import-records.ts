import { Message } from '@amplifier/core';
import { z } from 'zod';
import { APPROVAL_ANSWERED, APPROVAL_ASKED, APPROVAL_CLOSED } from '../approvals/approval-events.js';
import { DaemonError } from '../daemon-error.js';
import { checkMetadata } from '../sessions/session-metadata.js';
import { SessionStatusSchema } from '../sessions/session-schema.js';

const time = z.iso.datetime({ offset: true });
const id = z.string().max(300);
const label = z.string().max(1_000).nullish();
const freeForm = z.record(z.string(), z.unknown());
const count = z.int().nonnegative();

const Patch = z.looseObject({ name: label, model: label, extra: freeForm.optional() });

const Creation = Patch.extend({
  session_id: id,
  parent_id: id.nullish(),
  root_id: id.optional(),
  trace_id: id.nullish(),
  depth: count.optional(),
  agent_name: label,
  tool_call_id: id.nullish(),
  parallel_group_id: id.nullish(),
  profile_name: label,
  project: label,
  place: label,
  working_dir: z.string().max(4_000).nullish(),
  created: time,
  config: freeForm.nullish(),
  agent_overlay: freeForm.nullish(),
  forked_from: z.looseObject({ session_id: id, turn: count, seq: count }).nullish(),
  imported_from: z.looseObject({ session_id: id, format: id }).nullish(),
});

const Status = z.looseObject({
  status: SessionStatusSchema,
  interrupted: z.boolean().optional(),
  error: z.looseObject({ code: z.string(), message: z.string(), details: freeForm.optional() }).nullish(),
  last_outcome: z.looseObject({ turn: count, outcome: freeForm }).nullish(),
  patch: Patch.optional(),
});

/** The data of events that the record and the views of the daemon read. Others are shown as they are. */
const DATA: Readonly<Record<string, z.ZodType>> = {
  'session:created': Creation,
  'session:updated': Patch,
  'session:status': Status,
  [APPROVAL_ASKED]: z.looseObject({
    id,
    prompt: z.string().optional(),
    options: z.array(z.string()).optional(),
  }),
  [APPROVAL_ANSWERED]: z.looseObject({ id, answer: z.string().nullish() }),
  [APPROVAL_CLOSED]: z.looseObject({ id, why: z.string().nullish() }),
};

const Event = z.looseObject({
  seq: z.int().positive(),
  id,
  time,
  name: z.string().min(1).max(300),
  session_id: id,
  parent_id: id.nullish(),
  root_id: id,
  data: freeForm,
  mailbox_cursor: count.optional(),
});
type Event = z.infer<typeof Event>;

const Line = Message.extend({
  seq: z.int().positive(),
  turn: count,
  id,
  timestamp: time,
  agent: label,
  token_count: count.nullish(),
  mailbox_cursor: count.optional(),
});

const Mail = z.looseObject({
  id,
  kind: z.enum(['message', 'question', 'answer', 'cancel', 'completion']),
  from: id.nullish(),
  reply_to: id.nullish(),
  time,
  body: freeForm,
  cursor: count,
});

/** By the kind of a line: the member that has its record, and what that must be. */
const RECORDS: Readonly<Record<string, [member: string, schema: z.ZodType]>> = {
  'amplifier-session': ['session_id', id],
  event: ['event', Event],
  message: ['message', Line],
  mail: ['item', Mail],
  letter: ['letter', Mail],
};

/** Throws `INVALID_EXPORT` for a line whose record could not be folded or shown. */
export function checkRecord(entry: Record<string, unknown>, at: number): void {
  const kind = String(entry.kind);
  if (!Object.hasOwn(RECORDS, kind)) return;
  const [member, schema] = RECORDS[kind] as [string, z.ZodType];
  check(schema, entry[member], `${at} (${kind})`);
  if (kind !== 'event') return;
  const { name, data } = entry.event as Event;
  if (!Object.hasOwn(DATA, name)) return;
  check(DATA[name] as z.ZodType, data, `${at} (${name})`);
  for (const { extra } of [data, data.patch ?? {}] as { extra?: { metadata?: unknown } }[])
    if (typeof extra?.metadata === 'object' && extra.metadata !== null) checkMetadata(extra.metadata);
}

function check(schema: z.ZodType, value: unknown, line: string): void {
  const { error } = schema.safeParse(value);
  if (!error) return;
  const [issue] = error.issues;
  const path = issue?.path.join('.').slice(0, 200);
  throw new DaemonError(
    'INVALID_EXPORT',
    `Line ${line} of the export is invalid: ${path ? `${path}: ` : ''}${issue?.message}. Nothing was imported.`,
  );
}
