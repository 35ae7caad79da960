import { ContinueInput } from '../jobs/continue-job.js';
import { earlierRound, handleOf, outcomeOf, RunOutput, textOf } from './delegate.js';
import { defineTool } from './tool.js';

export const continueJob = defineTool({
  name: 'continue_job',
  title: 'Continue a job',
  description:
    'Finish a job that was interrupted, from where it was cut off, under the same job_id. A job that has ended gets its next turn instead: say what to do in prompt, or answer its question; that is a new job.',
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
