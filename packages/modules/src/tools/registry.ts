import type { ModuleRegistry } from '@amplifier/core';

export const toolModules: ModuleRegistry = {};
