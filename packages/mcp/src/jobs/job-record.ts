import type { z } from 'zod';
import { JobState } from './job-state.js';

/** What a session says of the job it works for. With its log that is all there is to know of the job. */
export const JobRecord = JobState.pick({
  run_id: true,
  tool: true,
  created_at: true,
  continued_from: true,
  target: true,
  fallback_chain: true,
  request: true,
  kept: true,
  owner: true,
});
export type JobRecord = z.infer<typeof JobRecord>;

/** The member of the launch's metadata that holds it. */
export const JOB_MEMBER = 'mcp_job';

export function jobRecord({
  run_id,
  tool,
  created_at,
  continued_from,
  target,
  fallback_chain,
  request,
  kept,
  owner,
}: JobState): JobRecord {
  return { run_id, tool, created_at, continued_from, target, fallback_chain, request, kept, owner };
}
