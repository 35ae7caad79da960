import type { AmplifierModule } from '@amplifier/core';
import { todoTool } from './todo-tool.js';

const module: AmplifierModule = {
  mount: ({ mounts }) => mounts.mount('tools', todoTool()),
};
export default module;
