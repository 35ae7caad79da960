import type { Tool } from '@amplifier/core';
import { isPlainObject } from '@amplifier/core';
import type { DelegateConfig } from '../delegate-config.js';
import { executeDelegation, pickKnown } from './delegate-tool.js';
import { delegatingTool } from './delegating-tool.js';

const FROM_MODEL = ['agent', 'instruction', 'session_id', 'model_role', 'provider_preferences'] as const;

/** The older tool `task`: the same service behind a smaller surface. Nothing of the parent's conversation is passed on. */
export function taskTool(config: DelegateConfig): Tool {
  return delegatingTool({
    name: 'task',
    description:
      'Hands a task to another agent and gives back its answer. Give session_id to continue with the same agent.',
    inputSchema: {
      type: 'object',
      properties: {
        agent: { type: 'string', description: 'Name of the agent. Needed unless session_id is given.' },
        instruction: { type: 'string', description: 'What the agent is to do.' },
        session_id: { type: 'string', description: 'Continue this session instead of starting a new one.' },
        model_role: { type: 'string', description: 'What kind of model the task needs.' },
        provider_preferences: {
          type: 'array',
          items: { type: 'object' },
          description: 'Models to try in order.',
        },
      },
      required: ['instruction'],
      additionalProperties: false,
    },
    async execute(input, context) {
      const request = { ...pickKnown(input, FROM_MODEL), context_depth: 'none' };
      const result = await executeDelegation(request, context, config);
      if (!result.success || !isPlainObject(result.output)) return result;
      const { response, session_id } = result.output;
      return { ...result, output: { response, session_id } };
    },
  });
}
