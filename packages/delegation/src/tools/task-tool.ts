import type { Tool } from '@amplifier/core';
import { isPlainObject } from '@amplifier/core';
import type { DelegateConfig } from '../request/delegate-config.js';
import { TASK_MEMBERS, taskSchema } from './delegate-schema.js';
import { executeDelegation, pickKnown } from './delegate-tool.js';
import { delegatingTool } from './equip-session.js';

/** The older tool `task`: the same service behind a smaller surface. Nothing of the parent's conversation is passed on. */
export function taskTool(config: DelegateConfig): Tool {
  return delegatingTool({
    name: 'task',
    description:
      'Hands a task to another agent and gives back its answer. Give session_id to continue with the same agent.',
    inputSchema: taskSchema(),
    async execute(input, context) {
      const request = { ...pickKnown(input, TASK_MEMBERS), context_depth: 'none' };
      const result = await executeDelegation(request, context, config);
      if (!result.success || !isPlainObject(result.output)) return result;
      const { response, session_id } = result.output;
      return { ...result, output: { response, session_id } };
    },
  });
}
