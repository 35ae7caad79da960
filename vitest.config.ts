import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  // An alias and not the `source` condition: some of our dependencies publish that condition too, as TypeScript.
  resolve: {
    alias: [
      { find: /^@amplifier\/([a-z]+)$/, replacement: join(import.meta.dirname, 'packages/$1/src/index.ts') },
    ],
  },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'tests/**/*.test.ts'],
    reporters: [['default', { summary: false }], './scripts/lib/count-reporter.mjs'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
