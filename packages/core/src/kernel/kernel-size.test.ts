import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

it('the kernel can be read in one sitting: at most 2,500 lines', () => {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' });
  const sources = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
  const lines = sources.map(
    (file) => readFileSync(join(import.meta.dirname, file), 'utf8').split('\n').length - 1,
  );
  expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(2_500);
});
