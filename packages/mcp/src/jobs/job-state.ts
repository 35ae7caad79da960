import { HandBack, NetworkAccess, SafetyMode } from '@amplifier/host';
import { z } from 'zod';
import { DelegationResult, JobStatus } from '../delegate/envelope.js';
import { Effort } from '../settings/delegation-settings.js';

const TargetState = z.object({ cli: z.string(), model: z.string().nullable() });

/** A delegation with everything decided: who, what, where, and what they may do. */
export const RunRequest = z.object({
  target: TargetState,
  /** As the caller wrote it. */
  prompt: z.string(),
  role: z.string().nullable(),
  files: z.array(z.string()),
  /** Paths of what is shown with the prompt. */
  attachments: z.array(z.string()).default([]),
  /** Skills the agent is given from the start. */
  skills: z.array(z.string()).default([]),
  /** Characters of the answer at most. */
  max_result: z.number().int().nullable().default(null),
  hand_back: HandBack.nullable().default(null),
  effort: Effort.nullable(),
  /** Seconds. */
  timeout_s: z.number().positive().nullable(),
  working_dir: z.string(),
  safety_mode: SafetyMode,
  trusted: z.boolean(),
  /** What of the agent may reach the network, where the caller asked for less. */
  network: NetworkAccess.nullable().default(null),
  fallback: z.array(TargetState),
  allow_model_fallback: z.boolean(),
  /** Continue with this session. */
  resume: z.string().nullable(),
  max_depth: z.number().int(),
  /** Somebody else keeps track of the run. */
  external_tracking: z.boolean(),
  /** Does an external agent change the folder itself? */
  direct: z.boolean().default(false),
});
export type RunRequest = z.infer<typeof RunRequest>;

/**
 * `state.json` of a job. The request and the pointer into the session log are written before anything runs; status and
 * result are a projection of that log and are made again from it when they are missing.
 */
export const JobState = z.object({
  version: z.literal(1),
  run_id: z.string(),
  tool: z.enum(['delegate', 'continue_job']),
  status: JobStatus,
  created_at: z.string(),
  finished_at: z.string().nullable(),
  continued_from: z.string().nullable(),
  request: RunRequest,
  /** Who is at it, or was last. */
  target: TargetState,
  /** Where the session is: its folder of sessions, its id, and which turn of it this job is. Null before it exists. */
  session: z
    .object({ sessions: z.string(), queue: z.string(), session_id: z.string(), turn: z.number().int() })
    .nullable(),
  /** Whose token began it; null where whoever gets here may see everything. */
  owner: z.string().nullable().default(null),
  /** Has it a folder? Without one it is known by its session alone. */
  kept: z.boolean().default(true),
  /** Targets tried before the present one. */
  fallback_chain: z.array(z.string()),
  result: DelegationResult.nullable(),
});
export type JobState = z.infer<typeof JobState>;

/** May whoever has this token see and stop the job? */
export function isJobOf({ owner }: Pick<JobState, 'owner'>, asking: string | null): boolean {
  return asking === null || owner === asking;
}

export const FINISHED: ReadonlySet<JobStatus> = new Set(['succeeded', 'failed', 'cancelled', 'needs_input']);
