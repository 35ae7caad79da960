import type { ModuleRegistry } from '@amplifier/core';

export const hookModules: ModuleRegistry = {
  'hooks-approval': async () => (await import('./hooks-approval/index.js')).default,
  'hooks-cost': async () => (await import('./hooks-cost/index.js')).default,
  'hooks-logging': async () => (await import('./hooks-logging/index.js')).default,
  'hooks-otel': async () => (await import('./hooks-otel/index.js')).default,
  'hooks-redaction': async () => (await import('./hooks-redaction/index.js')).default,
  'hooks-shell': async () => (await import('./hooks-shell/index.js')).default,
  'hooks-streaming-ui': async () => (await import('./hooks-streaming-ui/index.js')).default,
};
