import type { ModuleRegistry } from '@amplifier/core';

export const toolModules: ModuleRegistry = {
  'tool-bash': async () => (await import('./tool-bash/index.js')).default,
  'tool-filesystem': async () => (await import('./tool-filesystem/index.js')).default,
  'tool-mcp': async () => (await import('./tool-mcp/index.js')).default,
  'tool-search': async () => (await import('./tool-search/index.js')).default,
  'tool-skills': async () => (await import('./tool-skills/index.js')).default,
  'tool-todo': async () => (await import('./tool-todo/index.js')).default,
  'tool-web': async () => (await import('./tool-web/index.js')).default,
};
