import type { ModuleRegistry } from '@amplifier/core';

export const providerModules: ModuleRegistry = {};
