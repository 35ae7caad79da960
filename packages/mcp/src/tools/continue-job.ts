import { ContinueInput } from '../jobs/continue-job.js';
import { earlierRound, handleOf, outcomeOf, RunOutput, textOf } from './delegate.js';
import { defineTool } from './tool.js';

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
