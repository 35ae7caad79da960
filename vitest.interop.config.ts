import { defineConfig } from 'vitest/config';
import { sourceAliases } from './scripts/lib/source-aliases.mjs';

/** Real third-party agents. They are large, so `npm run interop` installs them and `npm test` does not. */
export default defineConfig({
  resolve: { alias: sourceAliases() },
  cacheDir: 'node_modules/.cache/vite',
  test: {
    globalSetup: 'scripts/lib/test-run.mjs',
    setupFiles: 'scripts/lib/test-file.mjs',
    include: ['packages/*/interop/*.interop.ts', 'tests/interop/*.interop.ts'],
    reporters: ['verbose'],
    testTimeout: 300_000,
    hookTimeout: 60_000,
    fileParallelism: false,
  },
});
