import type { ModuleRegistry } from '@amplifier/core';

export const contextModules: ModuleRegistry = {
  'context-simple': () => import('./context-simple.js'),
  'context-persistent': () => import('./context-persistent.js'),
};
