import type { z } from 'zod';
import { JobState } from './job-state.js';

/** What the session of a kept job says of the job, so that a folder that was lost can be made again. */
export const JobRecord = JobState.pick({
  run_id: true,
  tool: true,
  created_at: true,
  continued_from: true,
  target: true,
  fallback_chain: true,
  request: true,
});
export type JobRecord = z.infer<typeof JobRecord>;

/** The member of the session's own data that holds it. */
export const JOB_MEMBER = 'mcp_job';

export function jobRecord({
  run_id,
  tool,
  created_at,
  continued_from,
  target,
  fallback_chain,
  request,
}: JobState): JobRecord {
  return { run_id, tool, created_at, continued_from, target, fallback_chain, request };
}
