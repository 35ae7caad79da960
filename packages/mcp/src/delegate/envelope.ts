import { REEXECUTION_SAFETY, SafetyMode } from '@amplifier/host';
import { z } from 'zod';
import { Effort } from '../settings/delegation-settings.js';

const RESUMED_BY = ['session/resume', 'session/load', 'retelling', 'record'] as const;

export const RunFailure = z.object({
  code: z.string().describe('Stable; docs/mcp.md lists them all.'),
  message: z.string(),
  retryable: z.boolean().describe('May the same call succeed if repeated unchanged?'),
  reexecution_safety: z
    .enum(REEXECUTION_SAFETY)
    .describe('Whether it is safe to run the same task again elsewhere.'),
});
export type RunFailure = z.infer<typeof RunFailure>;

/** How a delegation ended. The same for sync and async, and on disk. */
export const DelegationResult = z.object({
  target: z.object({
    cli: z.string(),
    model: z.string().nullable(),
    role: z.string().nullable(),
    effort: Effort.nullable(),
  }),
  ok: z.boolean().describe('True only if the task was done and there is an answer.'),
  status: z
    .enum([
      'success',
      'needs_input',
      'limit',
      'stalled',
      'refused',
      'denied',
      'error',
      'cancelled',
      'interrupted',
    ])
    .describe('How it ended.'),
  text: z.string().describe('The answer; on failure, the partial answer.'),
  session_id: z.string().nullable().describe('Pass it to delegate to continue this conversation.'),
  run_id: z.string(),
  run_dir: z.string().nullable().describe('The folder of the job; null if it is not kept.'),
  error: RunFailure.nullable(),
  question: z.string().nullable().describe('The agent’s question, if status is needs_input.'),
  safety_mode: SafetyMode,
  requested_model: z.string().nullable(),
  selected_model: z.string().nullable().describe('The model that answered.'),
  effort_applied: z
    .string()
    .nullable()
    .describe(
      'The level the agent uses, the nearest to the requested one. Null if none was requested or the agent has no such setting.',
    ),
  fallback_from: z.string().nullable().describe('The requested target, if another one was used.'),
  fallback_chain: z.array(z.string()).describe('Every target that was tried or skipped before, in order.'),
  duration_s: z.number(),
  turn_count: z.number().int(),
  cost: z.object({
    usd: z.string().nullable(),
    input_tokens: z.number(),
    output_tokens: z.number(),
    total_tokens: z.number(),
  }),
  changed_files: z.array(z.string()),
  diff: z.string().nullable().describe('What was changed, as a unified diff.'),
  changes_applied: z
    .boolean()
    .nullable()
    .describe('False for a proposal; null if no separate tree was used.'),
  direct_mutation: z
    .boolean()
    .default(false)
    .describe('The agent changed the folder directly (direct_workspace_mutation).'),
  resumable: z.boolean(),
  resumed_by: z
    .enum(RESUMED_BY)
    .nullable()
    .describe(
      'How the agent got the earlier turns: it reloaded its own session, was sent the conversation again, or uses Amplifier’s record. Null in a first turn.',
    ),
  engine: z.string().describe('in_process, or the external agent that did it.'),
  notice: z.string().nullable().describe('Options that could not be applied, and advice.'),
});
export type DelegationResult = z.infer<typeof DelegationResult>;

export const JobStatus = z.enum([
  'pending',
  'running',
  'needs_input',
  'succeeded',
  'failed',
  'cancelled',
  'interrupted',
]);
export type JobStatus = z.infer<typeof JobStatus>;

/** What an async call returns at once. */
export const JobHandle = z.object({
  job_id: z.string(),
  status: JobStatus,
  tool: z.enum(['delegate', 'continue_job']),
  session_id: z.string().nullable(),
  run_dir: z.string().nullable(),
});
export type JobHandle = z.infer<typeof JobHandle>;

/** The status of a job whose run has ended so. */
export function jobStatusOf({ status }: Pick<DelegationResult, 'status'>): JobStatus {
  switch (status) {
    case 'success':
      return 'succeeded';
    case 'needs_input':
    case 'cancelled':
    case 'interrupted':
      return status;
    default:
      return 'failed';
  }
}
