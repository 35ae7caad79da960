import { z } from 'zod';
import { earlierRound, handleOf, outcomeOf, RunOutput, textOf } from './delegate.js';
import { defineTool } from './tool.js';

export const continueJob = defineTool({
  name: 'continue_job',
  title: 'Continue a job',
  description:
    'Finish a job that was interrupted, from where it was cut off, under the same job_id. A job that has ended gets its next turn instead: say what to do in prompt, or answer its question; that is a new job.',
  input: z.strictObject({
    job_id: z.string().min(1).describe('From list_jobs, or the run_id of a result.'),
    prompt: z
      .string()
      .nullish()
      .describe('What to do next. For an interrupted job it may be left out: it goes on by itself.'),
    mode: z.enum(['sync', 'async']).nullish().describe('sync waits for the answer; async returns at once.'),
    persist: z.boolean().nullish().describe('Keep the new job. Default: as the job before it.'),
    trust_workspace: z.boolean().nullish().describe('As for delegate, for jobs that may change files.'),
  }),
  output: RunOutput,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  async run(input, call) {
    const run = (await earlierRound(call)) ?? (await call.service.continueJob(input, call));
    if (input.mode === 'async') return { result: handleOf(run) };
    return outcomeOf(run, call);
  },
  text: ({ result }) => textOf(result),
});
