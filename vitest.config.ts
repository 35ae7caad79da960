import { defineConfig } from 'vitest/config';
import { sourceAliases } from './scripts/lib/source-aliases.mjs';

export default defineConfig({
  resolve: { alias: sourceAliases() },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'tests/**/*.test.ts'],
    reporters: [['default', { summary: false }], './scripts/lib/count-reporter.mjs'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
