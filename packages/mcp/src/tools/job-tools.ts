import { shortLine } from '@amplifier/host';
import { z } from 'zod';
import { LISTED_JOBS, WAIT_S } from '../defaults.js';
import { DelegationResult, JobStatus } from '../delegate/envelope.js';
import { targetLabel } from '../delegate/resolve-target.js';
import { isJobOf, type JobState } from '../jobs/job-order.js';
import { McpToolError } from '../mcp-error.js';
import { takeAnswers } from '../wire/ask-client.js';
import type { Call } from '../wire/call.js';
import { Progress } from '../wire/progress.js';
import { waitForRun } from '../wire/wait-for-run.js';
import { renderResult } from './render-result.js';
import { defineTool, LOOKS } from './tool.js';

const SUMMARY_CHARACTERS = 120;

/** A job on one line. */
const JobSummary = z.object({
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
type JobSummary = z.infer<typeof JobSummary>;

function summaryOf(state: JobState): JobSummary {
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

function summaryLine({ job_id, status, cli, model, summary }: JobSummary): string {
  return `${job_id}  ${status}  ${targetLabel({ cli, model })}  ${summary}`;
}

const job_id = z.string().min(1).describe('From list_jobs, or the run_id of a result.');

export const listJobs = defineTool({
  name: 'list_jobs',
  title: 'List jobs',
  description:
    'List the jobs, newest first: those on disk, including earlier servers’, and those of this server.',
  input: z.strictObject({
    status: JobStatus.nullish().describe('Only jobs with this status.'),
    limit: z
      .number()
      .int()
      .min(1)
      .max(1000)
      .nullish()
      .describe(`The maximum number. Default ${LISTED_JOBS}.`),
  }),
  output: z.object({ jobs: z.array(JobSummary), problems: z.array(z.string()) }),
  annotations: LOOKS,
  async run({ status, limit }, { service, owner }) {
    const { jobs, problems } = await service.jobs.list(owner);
    const fitting = jobs.filter((state) => !status || state.status === status);
    return { jobs: fitting.slice(0, limit ?? LISTED_JOBS).map(summaryOf), problems };
  },
  text: ({ jobs, problems }) => [...jobs.map(summaryLine), ...problems].join('\n') || 'There are no jobs.',
});

export const jobStatus = defineTool({
  name: 'job_status',
  title: 'Show a job',
  description: 'Show a job’s status, current activity and questions.',
  input: z.strictObject({ job_id }),
  output: JobSummary.extend({
    doing: z.string().nullable().describe('The last activity, while it runs here.'),
    questions: z.array(z.string()).describe('Questions it waits for. wait_job asks the user.'),
  }),
  annotations: LOOKS,
  async run(input, { service, owner }) {
    const state = await service.jobs.get(input.job_id, owner);
    const run = service.jobs.running(input.job_id, owner);
    return {
      ...summaryOf(state),
      doing: run && run.result === null ? run.doing : null,
      questions: [...(run?.questions.values() ?? [])].map(({ question }) => question.prompt),
    };
  },
  text: ({ doing, questions, ...summary }) =>
    [summaryLine(summary), doing, ...questions.map((question) => `It asks: ${question}`)]
      .filter((line) => line !== null)
      .join('\n'),
});

const ResultOutput = z.object({ result: DelegationResult });

export const jobResult = defineTool({
  name: 'job_result',
  title: 'Get the result of a job',
  description: 'Get the result of a job that has ended: the same that delegate returns with mode sync.',
  input: z.strictObject({ job_id }),
  output: ResultOutput,
  annotations: LOOKS,
  async run(input, { service, owner }) {
    const { status, result } = await service.jobs.get(input.job_id, owner);
    if (result) return { result };
    throw new McpToolError('JOB_NOT_FINISHED', `The job ${input.job_id} is ${status}. ${nextStep(status)}`, {
      status,
    });
  },
  text: ({ result }) => renderResult(result),
});

export const waitJob = defineTool({
  name: 'wait_job',
  title: 'Wait for a job',
  description:
    'Wait until a job ends, with progress, and return its result. On timeout the job continues and result is null.',
  input: z.strictObject({
    job_id,
    timeout_s: z.number().positive().nullish().describe(`Seconds to wait. Default ${WAIT_S}.`),
  }),
  output: z.object({ job_id: z.string(), status: JobStatus, result: DelegationResult.nullable() }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async run(input, call) {
    const { service, context, owner } = call;
    const run = service.jobs.running(input.job_id, owner);
    if (run && context.mcpReq.requestState() !== undefined) await takeAnswers(run, call);
    const seconds = input.timeout_s ?? WAIT_S;
    if (run) {
      const patience = new AbortController();
      const cancel = service.clock.after(seconds * 1000, () => patience.abort());
      const wait = { stops: false, signal: patience.signal };
      const waited = await waitForRun(run, call, wait).finally(cancel);
      if (waited.kind === 'question') return waited.ask;
    } else await waitElsewhere(input.job_id, call, seconds);
    const { status, result } = await service.jobs.get(input.job_id, owner);
    return { job_id: input.job_id, status, result };
  },
  text: ({ job_id: id, status, result }) =>
    result ? renderResult(result) : `Job ${id} is ${status}. ${nextStep(status)}`,
});

export const cancelJob = defineTool({
  name: 'cancel_job',
  title: 'Cancel a job',
  description:
    'Stop a job and everything it started, here or in another process. A job that has ended is not changed.',
  input: z.strictObject({ job_id }),
  output: z.object({ job_id: z.string(), status: JobStatus }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  async run(input, { service, owner }) {
    const { status } = await service.jobs.cancel(input.job_id, owner);
    return { job_id: input.job_id, status };
  },
  text: ({ job_id: id, status }) => `Job ${id} is ${status}.`,
});

export const activity = defineTool({
  name: 'activity',
  title: 'Show what runs',
  description: 'List everything that runs in this server now, longest first.',
  input: z.strictObject({}),
  output: z.object({
    active: z.array(
      z.object({
        job_id: z.string(),
        tool: z.enum(['delegate', 'continue_job']),
        status: JobStatus,
        cli: z.string(),
        model: z.string().nullable(),
        role: z.string().nullable(),
        session_id: z.string().nullable(),
        elapsed_s: z.number(),
        time_left_s: z.number().nullable(),
        agents: z.number().int().describe('Active sub-agents.'),
        doing: z.string(),
        questions: z.number().int(),
      }),
    ),
    count: z.number().int(),
  }),
  annotations: LOOKS,
  async run(_input, { service, owner }) {
    const now = service.clock.now();
    const mine = service.jobs.live.filter(({ state }) => isJobOf(state, owner));
    const active = mine.map((run) => {
      const { state, doing, agents, questions, started } = run;
      const elapsed_s = Math.round((now - started) / 100) / 10;
      const { timeout_s, role } = state.request;
      return {
        job_id: state.run_id,
        tool: state.tool,
        status: state.status,
        ...state.target,
        role,
        session_id: state.session?.session_id ?? null,
        elapsed_s,
        time_left_s: timeout_s === null ? null : Math.max(0, timeout_s - elapsed_s),
        agents,
        doing,
        questions: questions.size,
      };
    });
    return { active, count: active.length };
  },
  text: ({ active }) =>
    active
      .map(({ job_id: id, cli, elapsed_s, doing }) => `${id}  ${cli}  ${elapsed_s} s  ${doing}`)
      .join('\n') || 'Nothing runs.',
});

async function waitElsewhere(id: string, call: Call, seconds: number): Promise<void> {
  const progress = new Progress(call, `waits for ${id}`);
  try {
    await call.service.jobs.wait(id, call.owner, seconds, call.context.mcpReq.signal);
  } finally {
    progress.stop();
  }
}

function nextStep(status: JobStatus): string {
  return status === 'interrupted' ? 'continue_job finishes it.' : 'Wait for it with wait_job.';
}
