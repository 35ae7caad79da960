import { REEXECUTION_SAFETY, SafetyMode } from '@amplifier/host';
import { z } from 'zod';
import { Effort } from '../settings/delegation-settings.js';

const RESUMED_BY = ['session/resume', 'session/load', 'retelling', 'record'] as const;

export const RunFailure = z.object({
  code: z.string().describe('Stable; docs/mcp.md lists them all.'),
  message: z.string(),
  retryable: z.boolean().describe('May the very same call succeed when it is simply made again?'),
  reexecution_safety: z
    .enum(REEXECUTION_SAFETY)
    .describe('What it would mean to give the same task to somebody else now.'),
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
  ok: z.boolean().describe('True only when the task was done and there is an answer.'),
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
  text: z.string().describe('The answer; on failure what there was of it.'),
  session_id: z.string().nullable().describe('Pass it to delegate to continue this conversation.'),
  run_id: z.string(),
  run_dir: z.string().nullable().describe('Where the job is kept; null when it is not.'),
  error: RunFailure.nullable(),
  question: z.string().nullable().describe('What the agent wants to know, when status is needs_input.'),
  safety_mode: SafetyMode,
  requested_model: z.string().nullable(),
  selected_model: z.string().nullable().describe('The model that really answered.'),
  effort_applied: z
    .string()
    .nullable()
    .describe(
      'The level the agent works with, the nearest it has to the one asked for. Null when none was asked for, or the agent has no such setting.',
    ),
  fallback_from: z.string().nullable().describe('The target asked for, when another did it.'),
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
    .describe('False for a proposal; null when nothing was changed apart.'),
  direct_mutation: z
    .boolean()
    .default(false)
    .describe('The agent was let into the folder itself, by direct_workspace_mutation.'),
  resumable: z.boolean(),
  resumed_by: z
    .enum(RESUMED_BY)
    .nullable()
    .describe(
      'How the agent came to know the earlier turns: it reloaded its own session, was told the conversation again, or works from our record. Null in a first turn.',
    ),
  engine: z.string().describe('in_process, or the external agent that did it.'),
  notice: z.string().nullable().describe('Wishes that could not be met, and advice.'),
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
