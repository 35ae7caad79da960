import type { AmplifierModule, ModuleRegistry } from '@amplifier/core';
import { readDelegateConfig } from '../request/delegate-config.js';
import { DELEGATE_EVENTS } from '../request/delegate-events.js';
import { agentsTool } from './agents-tool.js';
import { delegateTool } from './delegate-tool.js';
import { taskTool } from './task-tool.js';

const toolDelegate: AmplifierModule = {
  mount(coordinator, input) {
    const config = readDelegateConfig(input);
    coordinator.mounts.mount('tools', delegateTool(coordinator, config));
    if (config.features.background.enabled) coordinator.mounts.mount('tools', agentsTool());
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
