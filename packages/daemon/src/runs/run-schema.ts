import { DataAttachment, DelegateRequest, LimitOptions } from '@amplifier/delegation';
import { NetworkAccess } from '@amplifier/workspace';
import { z } from '@hono/zod-openapi';
import { MAX_MESSAGE_BYTES, MAX_WAIT_SECONDS } from '../defaults.js';

const freeForm = z.record(z.string(), z.unknown());
const time = z.string().openapi({ format: 'date-time', example: '2026-01-05T09:01:00.000Z' });
const RUN_ID = /^run_[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;

export const runId = z
  .string()
  .regex(RUN_ID, 'is written as run_ and letters, digits, "_" or "-"')
  .openapi({ example: 'run_01KA1B2C3D4E5F6G7H8J9K0M1N' });

const RunLimits = LimitOptions.strict().openapi('RunLimits', {
  description:
    'For this run and everything it delegates; never looser than those of the session. `timeout` and `stall` are seconds, `max_turns` counts model calls.',
  example: { max_turns: 20, max_tokens: 200_000, max_cost_usd: '0.50', timeout: 600 },
});

const RunApprovals = z
  .strictObject({
    timeout_seconds: z.number().positive().max(31_536_000).nullable().optional(),
    on_timeout: z.enum(['deny', 'allow', 'leave']).optional(),
  })
  .openapi('RunApprovals', {
    description:
      'How long approvals of this run wait, and the answer after that. Default: the daemon’s configuration.',
    example: { timeout_seconds: 60, on_timeout: 'deny' },
  });

const wait = z.number().nonnegative().max(MAX_WAIT_SECONDS).optional().openapi({
  description: 'Wait this many seconds for the end of the run: 200 if it has ended by then, else 202.',
});

const shared = {
  run_id: runId.optional().openapi({ description: 'Sending the same id again returns the first run.' }),
  limits: RunLimits.optional(),
  approvals: RunApprovals.optional(),
  priority: z
    .int()
    .min(-10)
    .max(10)
    .optional()
    .openapi({ description: 'Higher runs before queued runs of other sessions. Default: 0.' }),
  wait,
};

/** As data alone: what a caller names would be read in the name of the operator. */
const attachments = z
  .array(DataAttachment)
  .optional()
  .openapi({
    description:
      'Images (PNG, JPEG, GIF, WebP) and small text files to attach to the instruction, in base64. Not with `busy: steer`.',
    example: [{ name: 'chart.png', data: 'iVBORw0KGgo=' }],
  });

export const NewRun = z
  .strictObject({
    instruction: z.string().trim().min(1).max(MAX_MESSAGE_BYTES),
    attachments,
    network: NetworkAccess.optional().openapi({
      description:
        'What of this run may reach the network: `false`, `tools` (all but commands) or `true`; at most what the session may.',
      example: false,
    }),
    busy: z.enum(['queue', 'reject', 'steer', 'interrupt']).default('queue').openapi({
      description:
        'If the session is busy: queue, reject (409), pass the text to the active run, or stop the active run and withdraw queued ones.',
    }),
    ...shared,
  })
  .openapi('NewRun', { example: { instruction: 'Review the last commit.', busy: 'queue' } });

const {
  background: _,
  tool_call_id: __,
  parallel_group_id: ___,
  metadata: ____,
  limits: _____,
  ...asked
} = DelegateRequest.shape;

export const NewDelegation = z
  .strictObject({
    ...asked,
    instruction: z.string().trim().min(1).max(MAX_MESSAGE_BYTES),
    attachments,
    ...shared,
  })
  .openapi('NewDelegation', {
    example: {
      agent: 'zen-architect',
      instruction: 'Look at the module boundaries.',
      context_depth: 'recent',
    },
  });

export const CancelRun = z
  .strictObject({
    mode: z.enum(['graceful', 'immediate']).default('graceful').openapi({
      description: '`graceful` finishes the current step; `immediate` stops it.',
    }),
    cascade: z.boolean().default(true).openapi({
      description: 'Also stop children that run in the background. Children the run waits for always stop.',
    }),
    by: z.string().trim().min(1).max(200).default('user'),
    wait,
  })
  .openapi('CancelRun', { example: { mode: 'immediate', by: 'ada' } });

export const ContinueRun = z
  .strictObject({ run_id: shared.run_id, wait })
  .openapi('ContinueRun', { example: { wait: 30 } });

export const RunStateSchema = z
  .enum([
    'queued',
    'running',
    'completed',
    'needs_input',
    'limit',
    'refused',
    'denied',
    'stalled',
    'cancelled',
    'failed',
    'interrupted',
    'steered',
  ])
  .openapi('RunStatus');

const summaryMembers = {
  run_id: z.string().openapi({ example: 'run_01KA1B2C3D4E5F6G7H8J9K0M1N' }),
  session_id: z.string(),
  kind: z.enum(['turn', 'delegate', 'continue']),
  status: RunStateSchema,
  instruction: z.string(),
  created_at: time,
  started_at: time.nullable(),
  ended_at: time.nullable(),
  attempts: z
    .int()
    .openapi({ description: 'How often a process started it; more than once after the daemon died.' }),
  cancel_requested: z.string().nullable().openapi({ description: 'Who cancelled it.' }),
  continued_from: z.string().nullable(),
};

export const RunSummary = z.object(summaryMembers).openapi('RunSummary');

export const RunView = z
  .object({
    ...summaryMembers,
    busy: z.string(),
    limits: freeForm,
    approvals: freeForm,
    agent: z.string().nullable().openapi({ description: 'For a delegation: the agent.' }),
    child_session_id: z.string().nullable().openapi({ description: 'For a delegation: the child session.' }),
    outcome: freeForm.nullable().openapi({
      description:
        'How it ended: `status`, `text` or `partial_text`, `usage`, `cost`, `model_used`, `error` and more.',
    }),
    error: freeForm.nullable().openapi({ description: 'What went wrong: `code`, `message`, `retryable`.' }),
  })
  .openapi('Run');
export type RunView = z.infer<typeof RunView>;
