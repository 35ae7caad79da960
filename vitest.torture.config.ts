import { defineConfig } from 'vitest/config';

/** The full counts that `npm test` runs a seeded part of. */
export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    include: ['packages/*/torture/*.torture.ts'],
    testTimeout: 1_200_000,
    hookTimeout: 120_000,
    fileParallelism: false,
  },
});
