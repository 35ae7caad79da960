import { SafetyMode } from '@amplifier/host';
import { z } from 'zod';
import { Attachments, HandBackForm, MaxResult } from '../delegate/prepare-request.js';
import { realFolder } from '../hosts.js';
import { McpToolError } from '../mcp-error.js';
import { Effort } from '../settings/delegation-settings.js';
import type { JobRequest, JobState } from './job-order.js';

/** The inputs of `continue_job`. Null means the same as leaving one out. */
export const ContinueInput = z.strictObject({
  job_id: z.string().min(1).describe('From list_jobs, or the run_id of a result.'),
  prompt: z
    .string()
    .nullish()
    .describe('What to do next. Optional for an interrupted job, which resumes without it.'),
  mode: z
    .enum(['sync', 'async'])
    .nullish()
    .default('sync')
    .describe('sync waits for the answer; async returns immediately.'),
  role: z.string().min(1).nullish().describe('A persona from list_roles, added before the prompt.'),
  files: z.array(z.string().min(1)).nullish().describe('Paths to put in scope.'),
  attachments: Attachments,
  max_result: MaxResult,
  hand_back: HandBackForm,
  model: z
    .string()
    .min(1)
    .nullish()
    .describe('Another model for this turn. An external agent keeps its model.'),
  effort: Effort.nullish().describe('Reasoning effort for this turn, if the agent supports it.'),
  persist: z.boolean().nullish().default(true).describe('Keep the new job. Default: yes.'),
  timeout_s: z
    .number()
    .positive()
    .nullish()
    .describe('Time limit of the turn in seconds; at most that of the job.'),
  safety_mode: SafetyMode.nullish().describe(
    'Another mode for the next turn. Default: that of the job. An interrupted turn keeps its mode.',
  ),
  working_dir: z.string().min(1).nullish().describe('Must be the job’s folder: a session cannot move.'),
  trust_workspace: z
    .boolean()
    .nullish()
    .default(false)
    .describe('As in delegate, for jobs that may change files.'),
});
export type ContinueInput = z.input<typeof ContinueInput>;

/** Refuses what a session cannot change about itself. */
export async function checkContinuation(
  input: ContinueInput,
  { request, run_id, status }: JobState,
): Promise<void> {
  if (status === 'interrupted' && input.safety_mode && input.safety_mode !== request.safety_mode)
    throw new McpToolError(
      'INVALID_INPUT',
      `safety_mode: The job ${run_id} was cut off in ${request.safety_mode} and ends in it. Leave safety_mode out, or delegate anew.`,
    );
  if (input.working_dir && (await realFolder(input.working_dir)) !== request.working_dir)
    throw new McpToolError(
      'INVALID_INPUT',
      `working_dir: The job ${run_id} works in ${request.working_dir} and stays there. Leave working_dir out, or delegate anew.`,
    );
}

/** The request of a job that gives the session of another its next turn. */
export function nextRequest(
  { request, target }: JobState,
  input: ContinueInput,
  next: { prompt: string; trusted: boolean; session_id: string; safety_mode: SafetyMode },
): JobRequest {
  return {
    ...request,
    target: { ...target, model: input.model ?? target.model },
    prompt: next.prompt,
    trusted: next.trusted,
    safety_mode: next.safety_mode,
    role: input.role ?? null,
    files: input.files ?? [],
    attachments: input.attachments ?? [],
    max_result: input.max_result ?? request.max_result,
    hand_back: input.hand_back ?? request.hand_back,
    effort: input.effort ?? request.effort,
    timeout_s: input.timeout_s ?? request.timeout_s,
    fallback: [],
    resume: next.session_id,
    direct: false,
  };
}
