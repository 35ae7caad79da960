import type { ModuleRegistry } from '@amplifier/core';

export const contextModules: ModuleRegistry = {};
