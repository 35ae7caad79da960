import { HandBack, JOB_KIND, type JsonObject, NetworkAccess, SafetyMode } from '@amplifier/host';
import { z } from 'zod';
import { DelegationResult, JobStatus } from '../delegate/envelope.js';
import { APPROVALS } from '../hosts.js';
import { Effort } from '../settings/delegation-settings.js';

const TargetState = z.object({ cli: z.string(), model: z.string().nullable() });

/** A delegation with everything decided: who, what, where, and what they may do. */
export const JobRequest = z.object({
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
  /** The caller keeps track of the job. */
  external_tracking: z.boolean(),
  /** Does an external agent change the folder itself? */
  direct: z.boolean().default(false),
});
export type JobRequest = z.infer<typeof JobRequest>;

/** What a session says of the job it works for: with its log, all there is to know of the job. */
export const JobRecord = z.object({
  run_id: z.string(),
  tool: z.enum(['delegate', 'continue_job']),
  created_at: z.string(),
  continued_from: z.string().nullable(),
  request: JobRequest,
  /** Who is at it, or was last. */
  target: TargetState,
  /** Targets tried before the present one. */
  fallback_chain: z.array(z.string()),
  /** The token that began it; null where every caller may see every job. */
  owner: z.string().nullable().default(null),
  /** Has it a folder? Without one it is known by its run and its session alone. */
  kept: z.boolean().default(true),
});
export type JobRecord = z.infer<typeof JobRecord>;

/** What a job has to do: the payload of its run. */
export const JobOrder = JobRecord.extend({
  kind: z.literal(JOB_KIND),
  /** A session that is busy is an error. */
  busy: z.literal('reject'),
  /** A new session; the next turn of one; or the turn that a dead process left. */
  action: z.enum(['start', 'resume', 'continue']),
  /** Which turn of its session it is. */
  turn: z.number().int(),
  /** Null: the turn that was left continues without one. */
  instruction: z.string().nullable(),
  attachments: z.array(z.string()),
  /** Where the next turn of a session is to change them. */
  model: z.string().nullable(),
  effort: Effort.nullable(),
  approvals: z.enum(APPROVALS),
  run_dir: z.string().nullable(),
});
export type JobOrder = z.infer<typeof JobOrder>;

/** What the run of a job keeps of its end. */
export interface JobFinish
  extends JsonObject,
    Pick<JobState, 'target' | 'fallback_chain' | 'finished_at' | 'result'> {}

/** `state.json` of a job, and what the tools show: rendered from its run and its session. */
export const JobState = JobRecord.extend({
  version: z.literal(1),
  status: JobStatus,
  finished_at: z.string().nullable(),
  /** Where the session is: its folder of sessions, its id, and which turn of it this job is. Null before it exists. */
  session: z
    .object({ sessions: z.string(), queue: z.string(), session_id: z.string(), turn: z.number().int() })
    .nullable(),
  result: DelegationResult.nullable(),
});
export type JobState = z.infer<typeof JobState>;

/** A job that has not ended. */
export function stateOf(record: JobRecord, status: JobStatus, session: JobState['session']): JobState {
  return { version: 1, ...recordOf(record), status, finished_at: null, session, result: null };
}

export function recordOf(job: JobRecord): JobRecord {
  const { run_id, tool, created_at, continued_from, request, target, fallback_chain, owner, kept } = job;
  return { run_id, tool, created_at, continued_from, request, target, fallback_chain, owner, kept };
}

/** May the holder of this token see and stop the job? */
export function isJobOf({ owner }: Pick<JobState, 'owner'>, asking: string | null): boolean {
  return asking === null || owner === asking;
}
