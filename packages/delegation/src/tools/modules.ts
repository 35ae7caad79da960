import { type AmplifierModule, isPlainObject, type ModuleRegistry, type Tool } from '@amplifier/core';
import { type DelegateConfig, readDelegateConfig } from '../request/delegate-config.js';
import { DELEGATE_EVENTS } from '../request/delegate-events.js';
import { agentsTool } from './agents-tool.js';
import { TASK_MEMBERS, taskSchema } from './delegate-schema.js';
import { delegateTool, executeDelegation, pickKnown } from './delegate-tool.js';
import { delegatingTool } from './equip-session.js';

const toolDelegate: AmplifierModule = {
  mount(coordinator, input) {
    const config = readDelegateConfig(input);
    coordinator.mounts.mount('tools', delegateTool(coordinator, config));
    if (config.features.background.enabled) coordinator.mounts.mount('tools', agentsTool);
    coordinator.contributions.register('observability.events', 'tool-delegate', () => DELEGATE_EVENTS);
  },
};

const toolTask: AmplifierModule = {
  mount(coordinator, input) {
    const { exclude_tools, inherit_tools, exclude_hooks, timeout } = input;
    // Where this tool is used, only what is configured is withheld: children inherit it too, down to the greatest depth.
    const settings = {
      exclude_tools: exclude_tools ?? [],
      inherit_tools: inherit_tools ?? undefined,
      exclude_hooks: exclude_hooks ?? undefined,
      timeout,
    };
    const config = readDelegateConfig({ settings, ...input });
    coordinator.mounts.mount('tools', taskTool(config));
    coordinator.contributions.register('observability.events', 'tool-task', () => DELEGATE_EVENTS);
  },
};

/** The modules of this package, for a loader's registry. */
export const delegationModules: ModuleRegistry = {
  'tool-delegate': () => toolDelegate,
  'tool-task': () => toolTask,
};

/** The older tool `task`: the same service behind a smaller surface. Nothing of the parent's conversation is passed on. */
function taskTool(config: DelegateConfig): Tool {
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
