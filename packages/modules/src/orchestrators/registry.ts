import type { ModuleRegistry } from '@amplifier/core';

export const orchestratorModules: ModuleRegistry = {};
