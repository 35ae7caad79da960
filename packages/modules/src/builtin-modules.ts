import type { ModuleRegistry } from '@amplifier/core';
import { contextModules } from './contexts/registry.js';
import { hookModules } from './hooks/registry.js';
import { orchestratorModules } from './orchestrators/registry.js';
import { providerModules } from './providers/registry.js';
import { toolModules } from './tools/registry.js';

/** Every module that ships with Amplifier, by its module id. Nothing is imported before a plan asks for it. */
export const builtinModules: ModuleRegistry = {
  ...orchestratorModules,
  ...contextModules,
  ...providerModules,
  ...toolModules,
  ...hookModules,
};
