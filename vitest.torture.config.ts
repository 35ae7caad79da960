import { defineConfig } from 'vitest/config';
import { sourceAliases } from './scripts/lib/source-aliases.mjs';

/** The full counts that `npm test` runs a seeded part of. */
export default defineConfig({
  resolve: { alias: sourceAliases() },
  cacheDir: 'node_modules/.cache/vite',
  test: {
    globalSetup: 'scripts/lib/test-run.mjs',
    setupFiles: 'scripts/lib/test-file.mjs',
    include: ['packages/*/torture/*.torture.ts'],
    testTimeout: 1_200_000,
    hookTimeout: 120_000,
    fileParallelism: false,
  },
});
