import type { ModuleRegistry } from '@amplifier/core';

export const orchestratorModules: ModuleRegistry = {
  'loop-basic': () => import('./loop-basic.js'),
  'loop-streaming': () => import('./loop-streaming.js'),
};
