import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

it('the record stays small enough to know: at most 5,200 lines, and no file of 300', () => {
  const lines = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => readFileSync(join(import.meta.dirname, file), 'utf8').split('\n').length - 1);
  expect(Math.max(...lines)).toBeLessThan(300);
  expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(5_200);
});
