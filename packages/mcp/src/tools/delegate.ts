import type { InputRequiredResult } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { DelegationResult, JobHandle } from '../delegate/envelope.js';
import { DelegateInput } from '../delegate/prepare-request.js';
import { ContinueInput } from '../jobs/continue-job.js';
import type { LiveJob } from '../jobs/live-job.js';
import { McpToolError } from '../mcp-error.js';
import { takeAnswers } from '../wire/ask-client.js';
import type { Call } from '../wire/call.js';
import { waitForRun } from '../wire/wait-for-run.js';
import { renderHandle, renderResult } from './render-result.js';
import { defineTool } from './tool.js';

/** What `delegate` and `continue_job` give: how it ended, or a job that goes on. */
export const RunOutput = z.object({
  result: z
    .union([DelegationResult, JobHandle])
    .describe('The outcome; with mode async, the job that was started.'),
});
type RunOutput = z.infer<typeof RunOutput>;

export const delegate = defineTool({
  name: 'delegate',
  title: 'Delegate a task',
  description:
    'Delegate a task to an agent and get its answer. The agent does not know this conversation. It works on its own with its own tools in working_dir, and may delegate parts. It changes nothing unless safety_mode allows it. Long calls report progress; mode async returns a job immediately.',
  input: DelegateInput,
  output: RunOutput,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  async run(input, call) {
    const earlier = await earlierRound(call);
    const run = earlier ?? (await call.service.delegate(input, call));
    if (input.mode === 'async') return { result: await handleOf(run) };
    return outcomeOf(run, call);
  },
  text: ({ result }) => textOf(result),
});

/** A call that comes back with the answers to questions continues with the run it had begun. */
export async function earlierRound(call: Call): Promise<LiveJob | null> {
  const sealed = call.context.mcpReq.requestState<{ run_id: string }>();
  if (sealed === undefined) return null;
  const run = call.service.jobs.running(sealed.run_id, call.owner);
  if (!run)
    throw new McpToolError(
      'JOB_NOT_FOUND',
      `The delegation ${sealed.run_id} that asked is not known here any more.`,
    );
  await takeAnswers(run, call);
  return run;
}

/** Waits for the run, as the call that began it. */
export async function outcomeOf(run: LiveJob, call: Call): Promise<RunOutput | InputRequiredResult> {
  const waited = await waitForRun(run, call, { stops: true });
  if (waited.kind === 'result') return { result: waited.result };
  if (waited.kind === 'question') return waited.ask;
  throw new McpToolError('INTERNAL', 'The wait for the delegation ended before the delegation did.');
}

/** The job, as soon as it is on disk; how it ended, when it ended before there was anything to find again. */
async function handleOf(run: LiveJob): Promise<JobHandle | DelegationResult> {
  await run.begun;
  const { run_id, order, state, result } = run;
  const { run_dir } = order;
  if (result?.session_id === null && run_dir === null) return result;
  return {
    job_id: run_id,
    status: state.status,
    tool: state.tool,
    session_id: state.session?.session_id ?? null,
    run_dir,
  };
}

function textOf(result: RunOutput['result']): string {
  return 'job_id' in result ? renderHandle(result) : renderResult(result);
}

export const continueJob = defineTool({
  name: 'continue_job',
  title: 'Continue a job',
  description:
    'Finish an interrupted job from where it stopped, under the same job_id. For a job that has ended, start its next turn as a new job: give the instruction, or the answer to its question, in prompt.',
  input: ContinueInput,
  output: RunOutput,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  async run(input, call) {
    const run = (await earlierRound(call)) ?? (await call.service.continueJob(input, call));
    if (input.mode === 'async') return { result: await handleOf(run) };
    return outcomeOf(run, call);
  },
  text: ({ result }) => textOf(result),
});
