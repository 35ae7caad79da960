import { z } from 'zod';
import { DelegationResult } from '../delegate/envelope.js';
import type { DelegateInput } from '../delegate/prepare-request.js';
import { earlierRound, outcomeOf } from './delegate.js';
import { renderResult } from './render-result.js';
import { defineTool } from './tool.js';

const PLAN_ROLE = 'architect';

export const plan = defineTool({
  name: 'plan',
  title: 'Plan a change',
  description:
    'Have an agent read the folder and write a plan for a goal: the steps, what each changes, the risks and how to verify it. It only reads. Returns the result of delegate.',
  input: z.strictObject({
    cli: z.string().trim().min(1).describe('The agent that plans: an id from capabilities.'),
    goal: z
      .string()
      .trim()
      .min(1)
      .describe('The goal. The agent knows nothing else: include everything that matters.'),
    model: z.string().min(1).nullish().describe('A model of the agent. Default: the agent’s own.'),
    role: z
      .string()
      .min(1)
      .nullish()
      .default(PLAN_ROLE)
      .describe(`A persona from list_roles. Default: ${PLAN_ROLE}.`),
    working_dir: z.string().min(1).nullish().describe('The working folder. Default: that of this server.'),
    files: z.array(z.string().min(1)).nullish().describe('Paths to start with.'),
    timeout_s: z.number().positive().nullish().describe('Time limit in seconds.'),
  }),
  output: z.object({ result: DelegationResult }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  async run({ goal, ...input }, call) {
    const asked: DelegateInput = {
      ...input,
      prompt: planPrompt(goal),
      safety_mode: 'read_only',
      persist: false,
    };
    const run = (await earlierRound(call)) ?? (await call.service.delegate(asked, call));
    return (await outcomeOf(run, call)) as { result: DelegationResult };
  },
  text: ({ result }) => renderResult(result),
});

function planPrompt(goal: string): string {
  return [
    'Write a plan; change nothing.',
    `The goal:\n${goal}`,
    'Look at what is there first. Then give numbered steps, each small enough to be checked by itself: what changes, in which files, how to tell that it worked. Name what could go wrong, what you leave out, and what you could not find out.',
  ].join('\n\n');
}
