import { shortLine } from '@amplifier/host';
import { z } from 'zod';
import { JobStatus } from '../delegate/envelope.js';
import { targetLabel } from '../delegate/resolve-target.js';
import type { JobState } from '../jobs/job-state.js';

const SUMMARY_CHARACTERS = 120;

/** A job on one line. */
export const JobSummary = z.object({
  job_id: z.string(),
  tool: z.enum(['delegate', 'continue_job']),
  status: JobStatus,
  cli: z.string(),
  model: z.string().nullable(),
  safety_mode: z.string(),
  summary: z.string().describe('The beginning of the prompt.'),
  working_dir: z.string(),
  session_id: z.string().nullable(),
  continued_from: z.string().nullable(),
  created_at: z.string(),
  finished_at: z.string().nullable(),
});
export type JobSummary = z.infer<typeof JobSummary>;

export function summaryOf(state: JobState): JobSummary {
  const { run_id, tool, status, target, request, session, continued_from, created_at, finished_at } = state;
  return {
    job_id: run_id,
    tool,
    status,
    cli: target.cli,
    model: target.model,
    safety_mode: request.safety_mode,
    summary: shortLine(request.prompt, SUMMARY_CHARACTERS),
    working_dir: request.working_dir,
    session_id: session?.session_id ?? null,
    continued_from,
    created_at,
    finished_at,
  };
}

export function summaryLine({ job_id, status, cli, model, summary }: JobSummary): string {
  return `${job_id}  ${status}  ${targetLabel({ cli, model })}  ${summary}`;
}
