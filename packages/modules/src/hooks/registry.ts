import type { ModuleRegistry } from '@amplifier/core';

export const hookModules: ModuleRegistry = {};
