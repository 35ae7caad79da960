import type { ModuleRegistry } from '@amplifier/core';

export const orchestratorModules: ModuleRegistry = {
  'loop-basic': async () => (await import('./loop.js')).loopBasic,
  'loop-streaming': async () => (await import('./loop.js')).loopStreaming,
};
