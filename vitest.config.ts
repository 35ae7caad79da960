import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { sourceAliases } from './scripts/lib/source-aliases.mjs';

export default defineConfig({
  resolve: { alias: sourceAliases() },
  cacheDir: 'node_modules/.cache/vite',
  test: {
    globalSetup: 'scripts/lib/test-run.mjs',
    setupFiles: 'scripts/lib/test-file.mjs',
    include: ['packages/*/src/**/*.test.ts', 'tests/**/*.test.ts'],
    reporters: [['default', { summary: false }], './scripts/lib/count-reporter.mjs'],
    // One less than there are cores would be the default: on two cores, half of the machine would wait.
    maxWorkers: availableParallelism(),
    // Only for what hangs: on a busy machine everything takes several times as long.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    coverage: {
      provider: 'v8',
      include: ['packages/daemon/src/**/*.ts', 'packages/sessions/src/**/*.ts'],
      exclude: ['**/*.test.ts', '**/main.ts'],
      reporter: ['json-summary'],
      reportsDirectory: 'node_modules/.cache/amplifier/coverage',
      thresholds: {
        'packages/daemon/src/**/*.ts': { lines: 90 },
        'packages/sessions/src/**/*.ts': { lines: 90 },
      },
    },
  },
});
