import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import LongestFirst from './scripts/lib/longest-first.mjs';
import { sourceAliases } from './scripts/lib/source-aliases.mjs';

const TESTS = ['packages/*/src/**/*.test.ts', 'tests/**/*.test.ts'];
/** These put something else in the place of a module, or start hundreds of sessions at once: each has a process of its own. */
const ALONE = [
  'packages/daemon/src/loops.test.ts',
  'packages/postgres/src/write-line.test.ts',
  'packages/workspace/src/processes/process-table.test.ts',
  'packages/modules/src/tools/swapped-folder.test.ts',
  // Counts statements, which depend on caches that files of one process share.
  'packages/delegation/src/recovery/commits.test.ts',
  'packages/delegation/src/recovery/control.test.ts',
  'packages/delegation/src/metering/budget-holds.test.ts',
  'packages/daemon/src/auth/scopes-hold.test.ts',
];

/** As the bundler of the CLI puts it in. */
const { version } = JSON.parse(readFileSync('packages/cli/package.json', 'utf8'));

export default defineConfig({
  define: { AMPLIFIER_VERSION: JSON.stringify(version) },
  resolve: { alias: sourceAliases() },
  cacheDir: 'node_modules/.cache/vite',
  test: {
    // A run that follows another one reads what that made of the sources: a quarter of a short run's time.
    experimental: { fsModuleCache: true, fsModuleCachePath: 'node_modules/.cache/vitest' },
    globalSetup: 'scripts/lib/test-run.mjs',
    setupFiles: 'scripts/lib/test-file.mjs',
    reporters: [['default', { summary: false }], './scripts/lib/count-reporter.mjs'],
    // Many tests wait for processes of their own: with a worker for each core, a third of the machine would stand still.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: LongestFirst },
    restoreMocks: true,
    projects: [
      // Files share a process one after the other: to load everything again for each took a quarter of the time.
      { extends: true, test: { name: 'tests', isolate: false, include: TESTS, exclude: ALONE } },
      { extends: true, test: { name: 'alone', include: ALONE } },
    ],
    // Only for what hangs: on a busy machine everything takes several times as long.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 100_000 } },
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
