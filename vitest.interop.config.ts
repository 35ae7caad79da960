import { defineConfig } from 'vitest/config';
import { sourceAliases } from './scripts/lib/source-aliases.mjs';

/** Real third-party agents. They are large, so `npm run interop` installs them and `npm test` does not. */
export default defineConfig({
  resolve: { alias: sourceAliases() },
  test: {
    include: ['packages/*/interop/*.interop.ts'],
    reporters: ['verbose'],
    testTimeout: 300_000,
    hookTimeout: 60_000,
    fileParallelism: false,
  },
});
