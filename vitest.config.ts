import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'tests/**/*.test.ts'],
    reporters: [['default', { summary: false }], './scripts/lib/count-reporter.mjs'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
